package example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** A mock in a container: "docker build --target mockserver -t mockserver ." makes the image. */
class MockContainerTest {
    static final GenericContainer<?> MOCK = new GenericContainer<>("mockserver")
            .withCommand("--http", "0.0.0.0:8931", "--world", "small")
            .withExposedPorts(8931)
            .waitingFor(Wait.forHttp("/healthz").forPort(8931));

    @BeforeAll
    static void start() {
        MOCK.start();
    }

    @AfterAll
    static void stop() {
        MOCK.stop();
    }

    /** In the place of your client. */
    @Test
    void reads() throws Exception {
        var body = """
                {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note:hello", "_meta": {
                  "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}""";
        var url = "http://" + MOCK.getHost() + ":" + MOCK.getMappedPort(8931) + "/mcp";
        var request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", "resources/read")
                .header("Mcp-Name", "note:hello")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertTrue(answer.body().contains("Hello, world!"), answer.body());
    }
}
