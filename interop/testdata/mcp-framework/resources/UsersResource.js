export default class UsersResource extends globalThis.framework.MCPResource {
  uri = "ordinary://users";
  name = "users";
  description = "All users";
  mimeType = "application/json";
  template = { uriTemplate: "ordinary://users/{id}", description: "A user" };

  async read() {
    return [{ uri: this.uri, mimeType: this.mimeType, text: "[]" }];
  }

  async complete(name, start) {
    const values = ["ann", "bob"].filter((x) => x.startsWith(start));
    return { values, total: values.length, hasMore: false };
  }
}
