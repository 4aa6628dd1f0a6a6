/** WebLLM's module, which is loaded with its first model: the demo doesn't ship it. */
export const WEB_LLM = 'https://cdn.jsdelivr.net/npm/@mlc-ai/web-llm@0.2.86/+esm'
