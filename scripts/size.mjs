// npm run size: gzip sizes of what users load, and the CPU time that it takes to run on import, against their budgets.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundledSize } from './lib/bundled-size.mjs'
import { importCost } from './lib/import-cost.mjs'
import { importGraph } from './lib/import-graph.mjs'
import { inProject } from './lib/project.mjs'

const KILOBYTE = 1000
/** Parts that a chat loads only for what it shows. */
const CHAT_PARTS =
  'announce|answer|details|ask|page-sentences|edit-input|code-colors|align-columns|report|undo-turn|discussed'
/** Chunks that a page loads only if it uses their feature. */
const FEATURES =
  'idle-work|skills-on-page|run-composite|child-runs|retrieve-memories|choose-compaction|hidden-secrets'

/** Chunks that the page loads along with a feature that has its own row below. */
const BESIDE =
  'discuss|hooks|undo-tool|read-history|sensitive-fields|file-output|apply-defaults|shown-tools|tool-names|trigger|warn-of-keywords'

/** Chunks that a bundler leaves out if an app imports `toolsFrom` alone. */
const AGENT_FROM_CONFIG = /^(page|agent-from-config|define-skill|is-json)-/

/** Chunks that a connection loads only if the server or the app needs them. */
const MCP_PARTS =
  /^(legacy|ask-person|offers|resource-tools|authorizer|finish|diagnose|client-line)-/

/** Parts of the page tools that the first read doesn't load. */
const PAGE_PARTS = /^(act-part|look|connect-forms)-/

const rows = [
  {
    name: 'page entry (dist/index.js)',
    bytes: sizeOf('index.js', { dynamic: false }),
    limit: 14.2 * KILOBYTE,
  },
  {
    name: 'page, with the first run',
    bytes: pageWithout(`lazy-views|user-gestures|transfer|${FEATURES}`),
    limit: 43.9 * KILOBYTE,
  },
  {
    name: 'page that shows a conversation',
    bytes: pageWithout(`transfer|${FEATURES}`),
    limit: 51.8 * KILOBYTE,
  },
  {
    name: 'page, with an export or import',
    bytes: pageWithout(FEATURES),
    limit: 55.5 * KILOBYTE,
  },
  {
    name: 'page, with all of its features',
    bytes: pageWithout(BESIDE),
    limit: 66.9 * KILOBYTE,
  },
  {
    name: 'what tells user gestures, beside the page',
    bytes: partSize('user-gestures'),
    limit: 1.7 * KILOBYTE,
  },
  {
    name: 'hooks of tools and agents, beside the page',
    bytes: partSize('hooks'),
    limit: 2.2 * KILOBYTE,
  },
  {
    name: 'a history that is given to a run, beside the page',
    bytes: partSize('read-history'),
    limit: 5.7 * KILOBYTE,
  },
  {
    name: 'a question with fields, beside the page',
    bytes: partSize('sensitive-fields'),
    limit: 6.3 * KILOBYTE,
  },
  {
    name: 'a result with files, beside the page',
    bytes: partSize('file-output'),
    limit: 1.3 * KILOBYTE,
  },
  {
    name: 'the list of tools, beside the page',
    bytes: partSize('shown-tools'),
    limit: 0.8 * KILOBYTE,
  },
  {
    name: 'defaults of a schema, beside the page',
    bytes: partSize('apply-defaults'),
    limit: 0.6 * KILOBYTE,
  },
  {
    name: 'triggers, beside the page',
    bytes: partSize('trigger'),
    limit: 3.3 * KILOBYTE,
  },
  {
    name: 'names that a model is to have, beside the page',
    bytes: partSize('tool-names'),
    limit: 1.1 * KILOBYTE,
  },
  {
    name: 'undoing a call or a turn, beside the page',
    bytes: partSize('undo-tool'),
    limit: 1.3 * KILOBYTE,
  },
  {
    name: 'discussing a waiting call, beside the page',
    bytes: partSize('discuss'),
    limit: 2.1 * KILOBYTE,
  },
  {
    name: 'keywords of schemas, for developers, beside the page',
    bytes: partSize('warn-of-keywords'),
    limit: 0.9 * KILOBYTE,
  },
  {
    name: 'worker (dist/worker.js)',
    bytes: sizeOf('worker.js', { dynamic: true }),
    limit: 139.9 * KILOBYTE,
  },
  {
    name: 'what the worker loads for calls in text and rare requests',
    bytes: sizeOf('worker-action.js', { dynamic: true }),
    limit: 45.1 * KILOBYTE,
  },
  {
    name: 'page tools (dist/page-tools.js)',
    bytes: sizeOf('page-tools.js', { dynamic: false }),
    limit: 5.3 * KILOBYTE,
  },
  {
    name: 'page tools, with the first read',
    bytes: sizeOf('page-tools.js', { dynamic: true, except: PAGE_PARTS }),
    limit: 63.9 * KILOBYTE,
  },
  {
    name: 'page tools, with the first action',
    bytes: sizeOf('page-tools.js', { dynamic: true, except: /^(look|connect-forms)-/ }),
    limit: 112.9 * KILOBYTE,
  },
  {
    name: 'pictures, beside page tools',
    bytes: pageToolsPart('look'),
    limit: 4.1 * KILOBYTE,
  },
  {
    name: 'forms as tools, beside page tools',
    bytes: pageToolsPart('connect-forms'),
    limit: 6.2 * KILOBYTE,
  },
  {
    name: 'copilot (dist/copilot.js), beside page, page tools and chat',
    bytes: sizeOf('copilot.js', { dynamic: false, except: /^(index|page-tools|chat)\.js$/ }),
    limit: 1.6 * KILOBYTE,
  },
  {
    name: 'mock (dist/mock.js)',
    bytes: sizeOf('mock.js', { dynamic: true }),
    limit: 9.9 * KILOBYTE,
  },
  {
    name: 'tools from (dist/tools-from.js), beside the page',
    bytes: sizeOf('tools-from.js', { dynamic: false, except: AGENT_FROM_CONFIG }),
    limit: 6.2 * KILOBYTE,
  },
  {
    name: 'agentFromConfig, beside it',
    bytes:
      sizeOf('tools-from.js', { dynamic: false, except: /^page-/ }) -
      sizeOf('tools-from.js', { dynamic: false, except: AGENT_FROM_CONFIG }),
    limit: 3.7 * KILOBYTE,
  },
  {
    name: 'memory (dist/memory.js)',
    bytes: sizeOf('memory.js', { dynamic: false }),
    limit: 6.8 * KILOBYTE,
  },
  {
    name: 'the search of a memory, beside it',
    bytes: memoryPart(/^(documents|vectors|keep-answer)-/),
    limit: 2.2 * KILOBYTE,
  },
  {
    name: 'documents and vectors of a memory, beside it',
    bytes: memoryPart(/^(space-index|keep-answer)-/),
    limit: 6.8 * KILOBYTE,
  },
  {
    name: 'answers that a memory keeps, beside it',
    bytes: memoryPart(/^(documents|vectors|space-index)-/),
    limit: 0.4 * KILOBYTE,
  },
  {
    name: 'mcp (dist/mcp.js)',
    bytes: sizeOf('mcp.js', { dynamic: false }),
    limit: 1.5 * KILOBYTE,
  },
  {
    name: 'mcp, connected to a server of 2026-07-28',
    bytes: sizeOf('mcp.js', { dynamic: true, except: MCP_PARTS }),
    limit: 15.6 * KILOBYTE,
  },
  {
    name: 'mcp, all of it',
    bytes: sizeOf('mcp.js', { dynamic: true }),
    limit: 32.7 * KILOBYTE,
  },
  {
    name: 'histories of Chat Completions and Messages (dist/histories.js)',
    bytes: await bundledSize('fromAnthropic, fromOpenAI, toAnthropic, toOpenAI', 'histories.js'),
    limit: 8.8 * KILOBYTE,
  },
  {
    name: 'histories of Responses (dist/histories.js)',
    bytes: await bundledSize('fromResponses, toResponses', 'histories.js'),
    limit: 8.5 * KILOBYTE,
  },
  {
    name: 'skills (dist/skills.js), beside the page',
    bytes: sizeOf('skills.js', { dynamic: false, except: /^page-/ }),
    limit: 5.2 * KILOBYTE,
  },
  {
    name: 'WebMCP (dist/webmcp.js)',
    bytes: sizeOf('webmcp.js', { dynamic: false }),
    limit: 7.7 * KILOBYTE,
  },
  {
    name: 'AI SDK chats (dist/ai-sdk.js), beside the page',
    bytes: sizeBeside('ai-sdk.js', 'index.js'),
    limit: 4.9 * KILOBYTE,
  },
  {
    name: 'AI SDK models (ai-sdk-worker.js), beside the worker',
    bytes: sizeBeside('ai-sdk-worker.js', 'start-worker.js'),
    limit: 4.4 * KILOBYTE,
  },
  {
    name: 'HTTP store (dist/http-store.js), beside the worker',
    bytes: sizeBeside('http-store.js', 'start-worker.js'),
    limit: 4 * KILOBYTE,
  },
  {
    name: 'Ajv (dist/ajv.js), beside the worker',
    bytes: sizeOf('ajv.js', { dynamic: true }),
    limit: 37.7 * KILOBYTE,
  },
  {
    name: 'relay (dist/relay.js)',
    bytes: sizeOf('relay.js', { dynamic: true }),
    limit: 7.5 * KILOBYTE,
  },
  {
    name: 'chat (dist/chat.js), with Lit and Markdown',
    bytes: sizeOf('chat.js', { dynamic: true, except: new RegExp(`^(sheets|zh|${CHAT_PARTS})-`) }),
    limit: 43.8 * KILOBYTE,
  },
  {
    name: 'chat, with its lists and in Chinese',
    bytes: sizeOf('chat.js', { dynamic: true, except: new RegExp(`^(${CHAT_PARTS})-`) }),
    limit: 49.8 * KILOBYTE,
  },
  {
    name: 'what the chat loads for questions and calls of page tools',
    bytes: chatPartSize('ask|page-sentences'),
    limit: 3.3 * KILOBYTE,
  },
  {
    name: 'what the chat loads to edit an input, beside it',
    bytes: chatPartSize('edit-input'),
    limit: 1.8 * KILOBYTE,
  },
  {
    name: 'what the chat loads to colour code',
    bytes: chatPartSize('code-colors'),
    limit: 2.7 * KILOBYTE,
  },
  {
    name: 'what the chat loads to align columns',
    bytes: chatPartSize('align-columns'),
    limit: 0.4 * KILOBYTE,
  },
  {
    name: 'what the chat loads for announcements and rare notices',
    bytes: chatPartSize('announce|details'),
    limit: 3 * KILOBYTE,
  },
  {
    name: 'what the chat loads to discuss a waiting call',
    bytes: chatPartSize('discussed'),
    limit: 3.2 * KILOBYTE,
  },
  {
    name: 'what the chat loads to undo calls and turns',
    bytes: chatPartSize('undo-turn'),
    limit: 3.3 * KILOBYTE,
  },
  {
    name: 'what the chat loads for additions to answers',
    bytes: chatPartSize('answer'),
    limit: 1.3 * KILOBYTE,
  },
  {
    name: 'what the chat loads to report a problem',
    bytes: chatPartSize('report'),
    limit: 3.4 * KILOBYTE,
  },
  {
    name: 'inspector (dist/inspector.js), with Lit',
    bytes: sizeOf('inspector.js', { dynamic: true, except: /^report-/ }),
    limit: 32 * KILOBYTE,
  },
  {
    name: 'reports of problems, beside the inspector',
    bytes:
      sizeOf('inspector.js', { dynamic: true }) -
      sizeOf('inspector.js', { dynamic: true, except: /^report-/ }),
    limit: 2.9 * KILOBYTE,
  },
  {
    name: 'React (dist/react.js), beside the page and the chat',
    bytes: sizeOf('react.js', { dynamic: false }),
    limit: 2.3 * KILOBYTE,
  },
  {
    name: 'Vue (dist/vue.js), beside the page and the chat',
    bytes: sizeOf('vue.js', { dynamic: false }),
    limit: 2.2 * KILOBYTE,
  },
  {
    name: 'Svelte (dist/svelte.js), beside the page and the chat',
    bytes: sizeOf('svelte.js', { dynamic: false }),
    limit: 2 * KILOBYTE,
  },
  // Bundlers keep only the imported parts of these files.
  {
    name: 'parseAction (dist/action.js)',
    bytes: await bundledSize('parseAction', 'action.js'),
    limit: 35 * KILOBYTE,
  },
  {
    name: 'createProvider (dist/providers.js)',
    bytes: await bundledSize('createProvider', 'providers.js'),
    limit: 16.1 * KILOBYTE,
  },
  {
    name: 'createProvider, with Chat Completions',
    bytes: await bundledSize('createProvider', 'providers.js', {
      lazy: /^define-chat-/,
    }),
    limit: 39.5 * KILOBYTE,
  },
  {
    name: 'createProvider, with the Responses API',
    bytes: await bundledSize('createProvider', 'providers.js', { lazy: /^define-responses-/ }),
    limit: 44 * KILOBYTE,
  },
  {
    name: 'createProvider, with what finds another form of a refused request',
    bytes: await bundledSize('createProvider', 'providers.js', {
      lazy: /^(form-adapter|request-form)-/,
    }),
    limit: 23.7 * KILOBYTE,
  },
  {
    name: 'fold (dist/conversation.js)',
    bytes: await bundledSize('fold', 'conversation.js'),
    limit: 6.1 * KILOBYTE,
  },
  {
    name: 'all of dist/action.js',
    bytes: sizeOf('action.js', { dynamic: true }),
    limit: 40.5 * KILOBYTE,
  },
  {
    name: 'undoPlan (dist/conversation.js)',
    bytes: await bundledSize('undoPlan', 'conversation.js'),
    limit: 0.4 * KILOBYTE,
  },
  {
    name: 'readDiscussion and discussionId (dist/conversation.js)',
    bytes: await bundledSize('readDiscussion, discussionId', 'conversation.js'),
    limit: 0.6 * KILOBYTE,
  },
  {
    name: 'all of dist/conversation.js, but for the two above',
    bytes: await bundledSize(
      await exportsBut('conversation.js', ['undoPlan', 'readDiscussion', 'discussionId']),
      'conversation.js',
    ),
    limit: 14 * KILOBYTE,
  },
  {
    name: 'all of dist/providers.js, but for the wire formats and the scripted model',
    bytes: sizeOf('providers.js', {
      dynamic: true,
      except: /^(define-|form-adapter|request-form|scripted)/,
    }),
    limit: 31.2 * KILOBYTE,
  },
]

/** CPU on import, as a multiple of the reference work of `measure-import.mjs`. */
const imports = [
  { name: 'page entry (dist/index.js)', file: 'index.js', limit: 0.2 },
  { name: 'page tools (dist/page-tools.js)', file: 'page-tools.js', limit: 0.2 },
  { name: 'chat (dist/chat.js)', file: 'chat.js', limit: 0.4 },
  { name: 'worker (dist/worker.js)', file: 'worker.js', limit: 0.7 },
].map((row) => ({ ...row, cost: importCost(inProject('dist', row.file)) }))

for (const { name, bytes, limit } of rows) {
  const verdict = `limit ${kilobytes(limit)} kB: ${bytes > limit ? 'TOO LARGE' : 'ok'}`
  console.log(`${name.padEnd(48)} ${kilobytes(bytes).padStart(6)} kB gzip  ${verdict}`)
}
console.log('\nCPU on import, without parsing, as a multiple of a fixed piece of work')
for (const { name, cost, limit } of imports) {
  const verdict = `limit ${limit.toFixed(2)}: ${cost > limit ? 'TOO SLOW' : 'ok'}`
  console.log(`${name.padEnd(48)} ${cost.toFixed(2).padStart(6)}          ${verdict}`)
}
const isOver =
  rows.some(({ bytes, limit }) => bytes > limit) || imports.some(({ cost, limit }) => cost > limit)
process.exit(isOver ? 1 : 0)

/** Names of a built file's exports, for an import of all but these. */
async function exportsBut(file, names) {
  const all = Object.keys(await import(inProject('dist', file)))
  return all.filter((name) => !names.includes(name)).join(', ')
}

function pageWithout(parts) {
  return sizeOf('index.js', { dynamic: true, except: new RegExp(`^(${parts}|${BESIDE})-`) })
}

/** Bytes that one part adds to the rest of the page. */
function partSize(part) {
  const without = sizeOf('index.js', { dynamic: true, except: new RegExp(`^${part}-`) })
  return sizeOf('index.js', { dynamic: true }) - without
}

/** Bytes that parts add to a chat with all of its parts. */
function chatPartSize(parts) {
  const without = sizeOf('chat.js', { dynamic: true, except: new RegExp(`^(${parts})-`) })
  return sizeOf('chat.js', { dynamic: true }) - without
}

/** Bytes that a part adds to the rest of the page tools. */
function pageToolsPart(part) {
  const without = sizeOf('page-tools.js', { dynamic: true, except: new RegExp(`^${part}-`) })
  return sizeOf('page-tools.js', { dynamic: true }) - without
}

/** Bytes that a feature of a memory adds to its entry, without the parts that `except` names. */
function memoryPart(except) {
  return sizeOf('memory.js', { dynamic: true, except }) - sizeOf('memory.js', { dynamic: false })
}

/** Bytes that `file` adds to a page that has already loaded `other`. */
function sizeBeside(file, other) {
  const known = filesOf(other, { dynamic: true })
  return sum([...filesOf(file, { dynamic: true })].filter((name) => !known.has(name)))
}

function sizeOf(file, which) {
  return sum([...filesOf(file, which)])
}

function filesOf(file, which) {
  return importGraph(file, { folder: inProject('dist'), ...which })
}

function sum(files) {
  return files
    .map((name) => gzipSync(readFileSync(inProject('dist', name)), { level: 9 }).length)
    .reduce((sum, bytes) => sum + bytes, 0)
}

function kilobytes(bytes) {
  return (bytes / KILOBYTE).toFixed(1)
}
