// An ordinary server with the official SDK for Kotlin, at a port or, without one, over stdio.
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.mcpStreamableHttp
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.ReadResourceResult
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextResourceContents
import kotlinx.coroutines.Job
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered

fun ordinary(): Server {
    val server = Server(
        Implementation("ordinary", "1"),
        ServerOptions(ServerCapabilities(resources = ServerCapabilities.Resources(listChanged = true, subscribe = true))),
    )
    server.addResource("ordinary://readme", "readme", "A text", "text/plain") { request ->
        ReadResourceResult(listOf(TextResourceContents("hello", request.uri, "text/plain")))
    }
    server.addResourceTemplate("ordinary://users/{id}", "user", "A user", "text/plain") { request, _ ->
        ReadResourceResult(listOf(TextResourceContents("user", request.uri, "text/plain")))
    }
    return server
}

fun main(args: Array<String>) {
    if (args.isNotEmpty()) {
        embeddedServer(CIO, host = "127.0.0.1", port = args[0].toInt()) { mcpStreamableHttp { ordinary() } }.start(wait = true)
        return
    }
    runBlocking {
        val session = ordinary().createSession(StdioServerTransport(System.`in`.asSource().buffered(), System.out.asSink().buffered()))
        val done = Job()
        session.onClose { done.complete() }
        done.join()
    }
}
