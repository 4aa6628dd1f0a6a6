/** An optional peer: installed by those who use this engine. Its types aren't needed. */
declare module '@mlc-ai/web-llm' {
  export const MLCEngine: unknown
}
