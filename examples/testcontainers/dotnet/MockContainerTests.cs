using System.Text;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;
using Xunit;

/// <summary>A mock in a container: "docker build --target mockserver -t mockserver ." makes the image.</summary>
public sealed class MockContainerTests : IAsyncLifetime
{
    private readonly IContainer mock = new ContainerBuilder("mockserver")
        .WithCommand("--http", "0.0.0.0:8931", "--world", "small")
        .WithPortBinding(8931, assignRandomHostPort: true)
        .WithWaitStrategy(Wait.ForUnixContainer().UntilHttpRequestIsSucceeded(r => r.ForPath("/healthz").ForPort(8931)))
        .Build();

    public Task InitializeAsync() => mock.StartAsync();

    public Task DisposeAsync() => mock.DisposeAsync().AsTask();

    /// <summary>In the place of your client.</summary>
    [Fact]
    public async Task Reads()
    {
        const string body = """
            {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note:hello", "_meta": {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
            """;
        var url = new UriBuilder("http", mock.Hostname, mock.GetMappedPublicPort(8931), "/mcp").Uri;
        using var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = new StringContent(body, Encoding.UTF8, "application/json") };
        request.Headers.Add("Accept", "application/json, text/event-stream");
        request.Headers.Add("MCP-Protocol-Version", "2026-07-28");
        request.Headers.Add("Mcp-Method", "resources/read");
        request.Headers.Add("Mcp-Name", "note:hello");
        using var client = new HttpClient();
        using var answer = await client.SendAsync(request);
        Assert.Contains("Hello, world!", await answer.Content.ReadAsStringAsync());
    }
}
