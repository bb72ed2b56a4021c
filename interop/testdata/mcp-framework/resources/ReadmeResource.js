export default class ReadmeResource extends globalThis.framework.MCPResource {
  uri = "ordinary://readme";
  name = "readme";
  description = "A text";
  mimeType = "text/plain";

  async read() {
    return [{ uri: this.uri, mimeType: this.mimeType, text: "hello" }];
  }
}
