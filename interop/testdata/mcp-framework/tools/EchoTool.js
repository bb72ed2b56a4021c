export default class EchoTool extends globalThis.framework.MCPTool {
  name = "echo";
  description = "Says what it is told";
  schema = globalThis.zod.z.object({ text: globalThis.zod.z.string().describe("What is said") });

  async execute({ text }) {
    return text;
  }
}
