// llms.txt and llms-full.txt: the documentation as coding agents read it, in the form of llmstxt.org.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { filesBelow, inProject, manifest } from './project.mjs'

/** Paths below docs/, without the ending. Pages that no section lists are optional: llms-full.txt omits them. */
const SECTIONS = {
  Start: ['getting-started', 'copilot', 'coding-agents', 'testing'],
  Tools: ['tools', 'approval', 'tools-from', 'composite-tools', 'sub-agents', 'triggers'],
  'In the page': ['chat', 'theming', 'react', 'vue', 'svelte', 'page-tools'],
  Models: [
    'providers/keys',
    'providers/doctor',
    'providers/ollama',
    'providers/lmstudio',
    'providers/llamacpp',
    'providers/openai',
    'providers/anthropic',
    'providers/gemini',
    'providers/openai-compatible',
    'providers/wllama',
    'providers/webllm',
    'providers/prompt-api',
  ],
  Production: ['durability', 'security', 'shared-browser', 'limits', 'events'],
  'More for the model': ['mcp', 'skills'],
}
const OPTIONAL = 'Optional'

/** Descriptions of pages whose first sentence doesn't say what they contain. */
export const DESCRIPTIONS = {
  tools:
    'How to define tools: schemas, annotations, results, errors, hooks, long-running calls, secrets, plans.',
  approval:
    'Which calls a person approves, what the card shows, consent to later calls, questions, undo.',
  'tools-from': 'Makes tools from the methods of an object, and agents from JSON.',
  triggers: 'A trigger starts a run without a user: on an event, at a time, or after another run.',
  theming: 'Themes and CSS variables of `<offstage-chat>`.',
  react: 'Provider, hooks and chat component for React 18 or newer.',
  vue: 'Provider, composables and chat component for Vue 3.4 or newer.',
  svelte: 'Provider, functions and chat attachment for Svelte 5.29 or newer.',
  'page-tools-rules': 'What page tools mask, refuse and request approval for.',
  security:
    'Attackers, untrusted content, approval rules, a person’s consent, keys, redaction, CSP, Trusted Types.',
  limits: 'What ends a run: steps, tokens, cost, time. Also prices, retention and titles.',
  events: 'Every event of a run, its outcomes, snapshots, and warnings outside of runs.',
  mcp: 'Tools, resources and prompts of MCP servers, with approval, pinned definitions and OAuth.',
  skills:
    'Instructions that the model reads only when a task needs them, also from SKILL.md files.',
  'coming-from':
    'Concepts and code of the AI SDK, CopilotKit, assistant-ui and page-agent, and their equivalents.',
  comparison: 'A table of what Offstage and other SDKs can do.',
  compatibility: 'Bundlers, frameworks, environments and compilers that the package was tried in.',
  dependencies: 'Packages whose code is bundled, with versions, reasons and sizes.',
  format: 'Reference of stored rows, messages, events and export files.',
  frameworks: 'A chat panel of your own, in each framework.',
  integrations: 'Adapters to copy, for AG-UI and assistant-ui.',
  quality: 'Long-running tests of losses, leaks and attacks, and their results.',
  thinking: 'Checks of the model’s answers against facts of the page.',
  'where-to-add': 'For contributors: the files of each kind of change.',
  'providers/keys': 'A relay on your server keeps the key, and limits users, models and tokens.',
  'providers/ollama': 'Models that call tools, allowed origins, context length.',
  'providers/lmstudio': 'Set-up, native calls, what goes wrong.',
  'providers/llamacpp': 'Set-up, native calls, what goes wrong.',
  'providers/localai': 'Set-up, native calls, what goes wrong.',
  'providers/vllm': 'Set-up, native calls, what goes wrong.',
  'providers/openai': 'Through a relay: Responses or Chat Completions, reasoning, strict tools.',
  'providers/anthropic': 'Through a relay: thinking, prompt caching, strict tools.',
  'providers/gemini': 'Through a relay: thoughts, what is sent, what goes wrong.',
  'providers/openai-compatible': 'The address, CORS, what is sent, what goes wrong.',
  'providers/minimax': 'Its two addresses and its errors.',
  'providers/writing-a-provider': 'Another wire format, in two methods.',
}

/**
 * The list of all pages by section, each with a link and a description.
 *
 * @param {string} baseUrl address of the folder with the pages, such as `https://example.org/docs/`; each link is this
 *   and the page's path, such as `providers/ollama.md`
 */
export function llmsTxt(baseUrl) {
  const sections = Object.entries(pagesBySection()).map(([section, pages]) => {
    const lines = pages.map((page) => {
      const text = read(page)
      const description = DESCRIPTIONS[page.slice(0, -'.md'.length)] ?? firstSentenceOf(text)
      return `- [${titleOf(text)}](${baseUrl}${page}): ${description}`
    })
    return `## ${section}\n\n${lines.join('\n')}\n`
  })
  return `${heading()}\n${sections.join('\n')}`
}

/** The guides, joined. Relative links lead from the package's folder, as in `docs/tools.md`. */
export function llmsFullTxt() {
  const { [OPTIONAL]: omitted, ...sections } = pagesBySection()
  const guides = Object.values(sections)
    .flat()
    .map((page) => `---\n\nSource: docs/${page}\n\n${guideOf(page)}\n`)
  const names = omitted.map((page) => `docs/${page}`).join(', ')
  return `${heading()}
These are the guides. The package's folder also has CHANGELOG.md and these pages, which are left out here:
${names}.

${guides.join('\n')}`
}

/** Files that packing adds to the package's folder, with the functions that make them. */
const FILES = { 'llms.txt': () => llmsTxt('docs/'), 'llms-full.txt': llmsFullTxt }

export const LLMS_FILES = Object.keys(FILES)

export function writeLlms(folder) {
  for (const [name, make] of Object.entries(FILES)) writeFileSync(path.join(folder, name), make())
}

export function removeLlms(folder) {
  for (const name of LLMS_FILES) rmSync(path.join(folder, name), { force: true })
}

function heading() {
  const { name, description } = manifest()
  return `# ${name.replace(/^./, (letter) => letter.toUpperCase())}

> ${description}

Install it with \`npm install ${name}\`. It has types, and no runtime dependencies. Its SKILL.md has the shortest
introduction for coding agents.
`
}

function pagesBySection() {
  const all = filesBelow(inProject('docs')).filter((file) => file.endsWith('.md'))
  const sections = Object.entries(SECTIONS).map(([section, names]) => {
    const pages = names.map((name) => `${name}.md`)
    const missing = pages.find((page) => !all.includes(page))
    if (missing) throw new Error(`The section ${section} lists docs/${missing}, which is missing.`)
    return [section, pages]
  })
  const listed = new Set(sections.flatMap(([, pages]) => pages))
  return {
    ...Object.fromEntries(sections),
    [OPTIONAL]: all.filter((page) => !listed.has(page)),
  }
}

/** A page without comments, which readers don't see. */
function read(page) {
  return readFileSync(inProject('docs', page), 'utf8')
    .replaceAll('\r\n', '\n')
    .replaceAll(/<!--[^]*?-->\n*/g, '')
}

function titleOf(text) {
  const [, title] = /^# (.+)$/m.exec(text)
  return title
}

/** The first sentence that is no heading, code, table or picture, as plain text. */
function firstSentenceOf(text) {
  const paragraph = text
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .find((block) => /^[^#|!]/.test(block))
  const plain = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const [sentence] = plain.split(/(?<=[.!?:]) /)
  return sentence.replaceAll('**', '').replace(/:$/, '.')
}

function guideOf(page) {
  return read(page)
    .replaceAll(/^!\[[^\]]*\]\([^)]*\)\n+/gm, '')
    .replaceAll(/^```ts runnable$/gm, '```ts')
    .replaceAll(/\]\(([^)\s]+)\)/g, (_link, target) => `](${fromPackage(page, target)})`)
    .trimEnd()
}

/** A link's target, relative to the package's folder instead of to the page. */
function fromPackage(page, target) {
  if (/^[a-z][\w+.-]*:/i.test(target)) return target
  if (target.startsWith('#')) return `docs/${page}${target}`
  return path.posix.join('docs', path.posix.dirname(page), target)
}
