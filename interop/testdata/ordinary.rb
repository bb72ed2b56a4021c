# An ordinary server with the official SDK for Ruby, at a port or, without one, over stdio.
require "mcp"

USERS = %w[ada bob grace].freeze

def text(uri, type, text) = [MCP::Resource::TextContents.new(uri: uri, mime_type: type, text: text)]

server = MCP::Server.new(name: "ordinary", version: "1.0.0", page_size: 2,
                         capabilities: { completions: {}, resources: { subscribe: true, listChanged: true } })
5.times do |i|
  uri = "ordinary://notes/#{i}"
  server.define_resource(uri: uri, name: "note-#{i}", mime_type: "text/plain") { text(uri, "text/plain", "note #{i}") }
end
server.define_resource_template(uri_template: "ordinary://users/{name}", name: "user", mime_type: "application/json") do |name:|
  uri = "ordinary://users/#{name}"
  raise MCP::Server::ResourceNotFoundError.new(uri, {}) unless USERS.include?(name)

  text(uri, "application/json", { name: name }.to_json)
end
server.completion_handler do |params|
  values = USERS.select { |name| name.start_with?(params.dig(:argument, :value).to_s) }
  { completion: { values: values, total: values.size, hasMore: false } }
end
server.resources_subscribe_handler { |_| }
server.resources_unsubscribe_handler { |_| }

if ARGV.empty?
  MCP::Server::Transports::StdioTransport.new(server).open
else
  require "puma"
  require "rack"
  transport = MCP::Server::Transports::StreamableHTTPTransport.new(server)
  app = lambda do |env|
    status, headers, body = transport.handle_request(Rack::Request.new(env))
    # A body that is called is for Rack 3; to Rack 2 it is a header.
    headers, body = headers.merge("rack.hijack" => body), [] unless body.respond_to?(:each)
    [status, headers, body]
  end
  puma = Puma::Server.new(app, Puma::Events.null, max_threads: 200)
  puma.add_tcp_listener("127.0.0.1", ARGV[0].to_i)
  puma.run.join
end
