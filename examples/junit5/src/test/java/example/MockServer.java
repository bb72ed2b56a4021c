package example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A mock server for each test, which judges the client at the end. The program is mockserver, or what MOCKSERVER names. */
public final class MockServer implements BeforeEachCallback, AfterEachCallback {
    private static final long PATIENCE_MILLIS = 30_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> flags;
    private Process process;
    private Path errors;
    private String url;
    private String admin;

    /** More flags of mockserver, such as "--world", "small". */
    public MockServer(String... flags) {
        this.flags = List.of(flags);
    }

    /** The address for Streamable HTTP. */
    public URI url() {
        return URI.create(url);
    }

    /** Calls the admin interface, which /openapi.json of it describes. */
    public String admin(String method, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(admin + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) throw new IOException(answer.body());
        return answer.body();
    }

    /** Waits until the client has sent so many requests or notifications with a method. */
    public void received(String method, int count) throws IOException, InterruptedException {
        var outcome = admin("POST", "/journal/wait",
                "{\"query\":{\"kinds\":[\"request\",\"notification\"],\"method\":\"" + method + "\"},\"count\":" + count + "}");
        if (find("\"met\": ?(true)", outcome) == null) throw new AssertionError(outcome);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        errors = Files.createTempFile("mockserver-", ".log");
        var command = new ArrayList<>(List.of(
                System.getenv().getOrDefault("MOCKSERVER", "mockserver"), "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"));
        command.addAll(flags);
        process = new ProcessBuilder(command).redirectError(errors.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        url = null;
        for (long end = System.currentTimeMillis() + PATIENCE_MILLIS; url == null; Thread.sleep(20)) {
            boolean ended = !process.isAlive();
            String text = Files.readString(errors);
            admin = find("admin interface on (\\S+)", text);
            url = find("listening on (\\S+/mcp) ", text);
            if (url == null && (ended || System.currentTimeMillis() > end)) {
                process.destroyForcibly();
                throw new IOException("the mock server did not begin: " + text);
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            if (url == null) return;
            var report = admin("POST", "/verify", "{}");
            if (find("(\"verdict\": ?\"fail\")", report) != null) throw new AssertionError("the client is not conformant: " + report);
        } finally {
            if (process != null) process.destroyForcibly().waitFor();
            Files.deleteIfExists(errors);
        }
    }

    private static String find(String pattern, String text) {
        var matcher = Pattern.compile(pattern).matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }
}
