/**
 * The pages of the site in the order of its sidebar: the tutorial, how-to guides, reference, explanation. Each document
 * of `docs/`, and each document beside README.md, is in it once.
 *
 * @type {readonly { readonly title: string, readonly pages: readonly (readonly [file: string, title: string])[] }[]}
 */
export const sections = [
  {
    title: 'Start',
    pages: [
      ['docs/getting-started.md', 'Tutorial'],
      ['docs/copilot.md', 'A copilot in ten lines'],
      ['docs/coming-from.md', 'Coming from another SDK'],
      ['docs/coding-agents.md', 'Coding agents'],
    ],
  },
  {
    title: 'Tools',
    pages: [
      ['docs/tools.md', 'Define tools'],
      ['docs/approval.md', 'Ask for approval'],
      ['docs/tools-from.md', 'Tools from your objects'],
      ['docs/composite-tools.md', 'Composite tools'],
      ['docs/sub-agents.md', 'Agents as tools'],
      ['docs/triggers.md', 'Triggers'],
      ['docs/page-tools.md', 'Page tools'],
      ['docs/mcp.md', 'MCP servers'],
      ['docs/webmcp.md', 'WebMCP'],
      ['docs/skills.md', 'Skills'],
      ['docs/memory.md', 'Memory'],
    ],
  },
  {
    title: 'Interface',
    pages: [
      ['docs/chat.md', 'Use the chat'],
      ['docs/theming.md', 'Theme the chat'],
      ['docs/react.md', 'React'],
      ['docs/vue.md', 'Vue'],
      ['docs/svelte.md', 'Svelte'],
      ['docs/frameworks.md', 'Build your own panel'],
      ['docs/ai-sdk.md', 'With the AI SDK'],
      ['docs/integrations.md', 'Adapters to copy'],
    ],
  },
  {
    title: 'Models',
    pages: [
      ['docs/providers/keys.md', 'Keys and the relay'],
      ['docs/providers/openai.md', 'OpenAI'],
      ['docs/providers/anthropic.md', 'Anthropic'],
      ['docs/providers/gemini.md', 'Gemini'],
      ['docs/providers/minimax.md', 'MiniMax'],
      ['docs/providers/ollama.md', 'Ollama'],
      ['docs/providers/lmstudio.md', 'LM Studio'],
      ['docs/providers/llamacpp.md', 'llama.cpp'],
      ['docs/providers/vllm.md', 'vLLM'],
      ['docs/providers/localai.md', 'LocalAI'],
      ['docs/providers/openai-compatible.md', 'Any other server'],
      ['docs/providers/wllama.md', 'wllama'],
      ['docs/providers/webllm.md', 'WebLLM'],
      ['docs/providers/prompt-api.md', "The browser's own model"],
      ['docs/providers/own-engine.md', 'An engine of your own'],
      ['docs/providers/writing-a-provider.md', 'A provider of your own'],
      ['docs/action.md', 'Models without native calls'],
      ['docs/thinking.md', 'Check what the model says'],
    ],
  },
  {
    title: 'Test and operate',
    pages: [
      ['docs/testing.md', 'Testing'],
      ['docs/inspector.md', 'The inspector'],
      ['docs/providers/doctor.md', 'When a model fails'],
      ['docs/limits.md', 'Limits and cost'],
      ['docs/compaction.md', 'Long conversations'],
      ['docs/shared-browser.md', 'Two people, one browser'],
      ['docs/http-store.md', 'A store on your server'],
      ['docs/stores.md', 'Stores of your own'],
      ['docs/histories.md', 'Histories'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/events.md', 'Events'],
      ['docs/compatibility.md', 'Compatibility'],
      ['docs/page-tools-rules.md', 'Rules of the page tools'],
      ['docs/providers/quirks.md', 'Endpoint quirks'],
      ['docs/providers/refusals.md', 'What endpoints refuse'],
      ['docs/format.md', 'The stored format'],
      ['docs/action-spec.md', 'The ACTION format'],
      ['docs/dependencies.md', 'What is bundled'],
      ['CHANGELOG.md', 'Changes'],
    ],
  },
  {
    title: 'Explanation',
    pages: [
      ['docs/durability.md', 'What survives'],
      ['docs/security.md', 'Trust and consent'],
      ['ARCHITECTURE.md', 'How the code is laid out'],
      ['docs/comparison.md', 'Compared with others'],
      ['docs/performance.md', 'Performance'],
      ['docs/quality.md', 'Quality'],
    ],
  },
  {
    title: 'Contribute',
    pages: [
      ['CONTRIBUTING.md', 'Contributing'],
      ['docs/where-to-add.md', 'Where to add what'],
      ['SECURITY.md', 'Report a vulnerability'],
      ['CODE_OF_CONDUCT.md', 'Code of conduct'],
    ],
  },
]

/** Files of all listed pages. */
export const listedPages = sections.flatMap(({ pages }) => pages.map(([file]) => file))
