package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client of the revision without handshake, in place of yours. */
class ClientTest {
    @RegisterExtension
    final MockServer mock = new MockServer("--world", "small", "--fail", "http503:method=resources/read:count=1");

    @Test
    void triesAReadThatFailedOnceMore() throws Exception {
        assertEquals(503, read(1).statusCode());
        assertTrue(read(2).body().contains("Hello"));
        mock.received("resources/read", 2);
    }

    private HttpResponse<String> read(int id) throws Exception {
        var body = """
                {"jsonrpc": "2.0", "id": %d, "method": "resources/read", "params": {"uri": "note:hello", "_meta": {
                  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientInfo": {"name": "example", "version": "1.0.0"},
                  "io.modelcontextprotocol/clientCapabilities": {}}}}""".formatted(id);
        var request = HttpRequest.newBuilder(mock.url())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", "resources/read")
                .header("Mcp-Name", "note:hello")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
