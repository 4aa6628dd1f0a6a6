/** An optional peer dependency: only users of this engine install it. Its types aren't needed. */
declare module '@mlc-ai/web-llm' {
  export const MLCEngine: unknown
}
