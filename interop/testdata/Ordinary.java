// An ordinary server with the official SDK for Java, at a port or, without one, over stdio.
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapperSupplier;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServer.SyncSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CompleteResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceReference;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.List;
import org.apache.catalina.startup.Tomcat;

public class Ordinary {
  static ReadResourceResult text(String uri, String text) {
    return new ReadResourceResult(List.of(new TextResourceContents(uri, "text/plain", text)));
  }

  static void offer(SyncSpecification<?> server) {
    String template = "ordinary://users/{name}";
    server.serverInfo("ordinary", "1")
        .capabilities(ServerCapabilities.builder().resources(true, true).completions().build())
        .resources(new SyncResourceSpecification(
            Resource.builder("ordinary://readme", "readme").mimeType("text/plain").build(),
            (exchange, request) -> text(request.uri(), "hello")))
        .resourceTemplates(new SyncResourceTemplateSpecification(
            ResourceTemplate.builder(template, "user").mimeType("text/plain").build(),
            (exchange, request) -> text(request.uri(), "user")))
        .completions(new SyncCompletionSpecification(new ResourceReference("ref/resource", template),
            (exchange, request) -> new CompleteResult(new CompleteResult.CompleteCompletion(List.of("ann", "bob"), 2, false))))
        .build();
  }

  public static void main(String[] args) throws Exception {
    var json = new JacksonMcpJsonMapperSupplier().get();
    if (args.length == 0) {
      offer(McpServer.sync(new StdioServerTransportProvider(json)));
      return;
    }
    var transport = HttpServletStreamableServerTransportProvider.builder().jsonMapper(json).mcpEndpoint("/mcp").build();
    offer(McpServer.sync(transport));
    var tomcat = new Tomcat();
    String scratch = System.getProperty("java.io.tmpdir");
    tomcat.setBaseDir(scratch);
    tomcat.setPort(Integer.parseInt(args[0]));
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    var context = tomcat.addContext("", scratch);
    Tomcat.addServlet(context, "mcp", transport).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "mcp");
    tomcat.start();
    tomcat.getServer().await();
  }
}
