// npm run size: gzip sizes of what users load, and the CPU time that it takes to run on import, against their budgets.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { bundledSize } from './lib/bundled-size.mjs'
import { importCost } from './lib/import-cost.mjs'
import { importGraph } from './lib/import-graph.mjs'
import { inProject } from './lib/project.mjs'

const KILOBYTE = 1000

/** Chunks that a page loads along with a feature, the feature's name, and the most kB that it adds. */
const BESIDE_PAGE = {
  hooks: ['hooks of tools and agents', 2.2],
  'read-history': ['a history that is given to a run', 5.7],
  'sensitive-fields': ['a question with fields', 6.3],
  'file-output': ['a result with files', 1.3],
  'shown-tools': ['the list of tools', 0.8],
  'apply-defaults': ['defaults of a schema', 0.6],
  trigger: ['triggers', 3.3],
  'tool-names': ['names that a model is to have', 1.1],
  'undo-tool': ['undoing a call or a turn', 1.3],
  discuss: ['discussing a waiting call', 2.1],
  'warn-of-keywords': ['keywords of schemas, for developers', 0.9],
}

/** Chunks that a page loads only if it uses their feature. */
const FEATURES =
  'idle-work|skills-on-page|run-composite|child-runs|retrieve-memories|choose-compaction|hidden-secrets'

/** Chunks that a chat loads only for what it shows, their purpose, and the most kB that they add. */
const CHAT_PARTS = {
  'ask|page-sentences': ['for questions and calls of page tools', 3.3],
  'edit-input': ['to edit an input, beside it', 1.8],
  'code-colors': ['to colour code', 2.7],
  'align-columns': ['to align columns', 0.4],
  'announce|details': ['for announcements and rare notices', 3],
  discussed: ['to discuss a waiting call', 3.2],
  'undo-turn': ['to undo calls and turns', 3.3],
  answer: ['for additions to answers', 1.3],
  report: ['to report a problem', 3.4],
}
const ALL_CHAT_PARTS = Object.keys(CHAT_PARTS).join('|')

/** Chunks that a bundler leaves out if an app imports `toolsFrom` alone. */
const AGENT_FROM_CONFIG = /^(page|agent-from-config|define-skill|is-json)-/

/** Chunks that a connection loads only if the server or the app needs them. */
const MCP_PARTS =
  /^(legacy|ask-person|offers|resource-tools|authorizer|finish|diagnose|client-line)-/

/** Parts of the page tools that the first read doesn't load. */
const PAGE_PARTS = /^(act-part|look|connect-forms)-/

/** Each row: its name, its bytes, and its limit in kB. */
const rows = [
  ['page entry (dist/index.js)', sizeOf('index.js', { dynamic: false }), 14.2],
  ['page, with the first run', pageWithout('lazy-views|user-gestures|transfer', FEATURES), 43.9],
  ['page that shows a conversation', pageWithout('transfer', FEATURES), 51.7],
  ['page, with an export or import', pageWithout(FEATURES), 55.5],
  ['page, with all of its features', pageWithout(), 66.9],
  ['what tells user gestures, beside the page', added('index.js', 'user-gestures'), 1.7],
  ...Object.entries(BESIDE_PAGE).map(([chunk, [feature, limit]]) => [
    `${feature}, beside the page`,
    added('index.js', chunk),
    limit,
  ]),
  ['worker (dist/worker.js)', sizeOf('worker.js', { dynamic: true }), 139.5],
  [
    'what the worker loads for calls in text and rare requests',
    sizeOf('worker-action.js', { dynamic: true }),
    45.1,
  ],
  ['page tools (dist/page-tools.js)', sizeOf('page-tools.js', { dynamic: false }), 5.3],
  [
    'page tools, with the first read',
    sizeOf('page-tools.js', { dynamic: true, except: PAGE_PARTS }),
    63.7,
  ],
  [
    'page tools, with the first action',
    sizeOf('page-tools.js', { dynamic: true, except: /^(look|connect-forms)-/ }),
    112.3,
  ],
  ['pictures, beside page tools', added('page-tools.js', 'look'), 4.1],
  ['forms as tools, beside page tools', added('page-tools.js', 'connect-forms'), 6.2],
  [
    'copilot (dist/copilot.js), beside page, page tools and chat',
    sizeOf('copilot.js', { dynamic: false, except: /^(index|page-tools|chat)\.js$/ }),
    1.6,
  ],
  ['mock (dist/mock.js)', sizeOf('mock.js', { dynamic: true }), 8.3],
  [
    'tools from (dist/tools-from.js), beside the page',
    sizeOf('tools-from.js', { dynamic: false, except: AGENT_FROM_CONFIG }),
    6.2,
  ],
  [
    'agentFromConfig, beside it',
    sizeOf('tools-from.js', { dynamic: false, except: /^page-/ }) -
      sizeOf('tools-from.js', { dynamic: false, except: AGENT_FROM_CONFIG }),
    3.7,
  ],
  ['memory (dist/memory.js)', sizeOf('memory.js', { dynamic: false }), 6.8],
  ['the search of a memory, beside it', memoryPart(/^(documents|vectors|keep-answer)-/), 2.2],
  ['documents and vectors of a memory, beside it', memoryPart(/^(space-index|keep-answer)-/), 6.8],
  ['answers that a memory keeps, beside it', memoryPart(/^(documents|vectors|space-index)-/), 0.4],
  ['mcp (dist/mcp.js)', sizeOf('mcp.js', { dynamic: false }), 1.5],
  [
    'mcp, connected to a server of 2026-07-28',
    sizeOf('mcp.js', { dynamic: true, except: MCP_PARTS }),
    15.6,
  ],
  ['mcp, all of it', sizeOf('mcp.js', { dynamic: true }), 32.7],
  [
    'histories of Chat Completions and Messages (dist/histories.js)',
    await bundledSize('fromAnthropic, fromOpenAI, toAnthropic, toOpenAI', 'histories.js'),
    8.8,
  ],
  [
    'histories of Responses (dist/histories.js)',
    await bundledSize('fromResponses, toResponses', 'histories.js'),
    8.5,
  ],
  [
    'skills (dist/skills.js), beside the page',
    sizeOf('skills.js', { dynamic: false, except: /^page-/ }),
    5.2,
  ],
  ['WebMCP (dist/webmcp.js)', sizeOf('webmcp.js', { dynamic: false }), 7.7],
  ['AI SDK chats (dist/ai-sdk.js), beside the page', sizeBeside('ai-sdk.js', 'index.js'), 4.9],
  [
    'AI SDK models (ai-sdk-worker.js), beside the worker',
    sizeBeside('ai-sdk-worker.js', 'start-worker.js'),
    4.4,
  ],
  [
    'HTTP store (dist/http-store.js), beside the worker',
    sizeBeside('http-store.js', 'start-worker.js'),
    4,
  ],
  ['Ajv (dist/ajv.js), beside the worker', sizeOf('ajv.js', { dynamic: true }), 37.7],
  ['relay (dist/relay.js)', sizeOf('relay.js', { dynamic: true }), 7.5],
  [
    'chat (dist/chat.js), with Lit and Markdown',
    sizeOf('chat.js', { dynamic: true, except: chunksOf(`sheets|zh|${ALL_CHAT_PARTS}`) }),
    43.8,
  ],
  [
    'chat, with its lists and in Chinese',
    sizeOf('chat.js', { dynamic: true, except: chunksOf(ALL_CHAT_PARTS) }),
    49.8,
  ],
  ...Object.entries(CHAT_PARTS).map(([chunks, [purpose, limit]]) => [
    `what the chat loads ${purpose}`,
    added('chat.js', chunks),
    limit,
  ]),
  [
    'inspector (dist/inspector.js), with Lit',
    sizeOf('inspector.js', { dynamic: true, except: /^report-/ }),
    32,
  ],
  ['reports of problems, beside the inspector', added('inspector.js', 'report'), 2.9],
  [
    'React (dist/react.js), beside the page and the chat',
    sizeOf('react.js', { dynamic: false }),
    2.3,
  ],
  ['Vue (dist/vue.js), beside the page and the chat', sizeOf('vue.js', { dynamic: false }), 2.2],
  [
    'Svelte (dist/svelte.js), beside the page and the chat',
    sizeOf('svelte.js', { dynamic: false }),
    2,
  ],
  // Bundlers keep only the imported parts of these files.
  ['parseAction (dist/action.js)', await bundledSize('parseAction', 'action.js'), 35],
  ['createProvider (dist/providers.js)', await bundledSize('createProvider', 'providers.js'), 16.1],
  [
    'createProvider, with Chat Completions',
    await bundledSize('createProvider', 'providers.js', { lazy: /^define-chat-/ }),
    39.5,
  ],
  [
    'createProvider, with the Responses API',
    await bundledSize('createProvider', 'providers.js', { lazy: /^define-responses-/ }),
    44,
  ],
  [
    'createProvider, with what finds another form of a refused request',
    await bundledSize('createProvider', 'providers.js', { lazy: /^(form-adapter|request-form)-/ }),
    23.7,
  ],
  ['fold (dist/conversation.js)', await bundledSize('fold', 'conversation.js'), 6.1],
  ['all of dist/action.js', sizeOf('action.js', { dynamic: true }), 40.5],
  ['undoPlan (dist/conversation.js)', await bundledSize('undoPlan', 'conversation.js'), 0.4],
  [
    'readDiscussion and discussionId (dist/conversation.js)',
    await bundledSize('readDiscussion, discussionId', 'conversation.js'),
    0.6,
  ],
  [
    'all of dist/conversation.js, but for the two above',
    await bundledSize(
      await exportsBut('conversation.js', ['undoPlan', 'readDiscussion', 'discussionId']),
      'conversation.js',
    ),
    14,
  ],
  [
    'all of dist/providers.js, but for the wire formats and the scripted model',
    sizeOf('providers.js', {
      dynamic: true,
      except: /^(define-|form-adapter|request-form|scripted)/,
    }),
    31.2,
  ],
]

/** CPU on import, as a multiple of the reference work of `measure-import.mjs`. */
const imports = [
  { name: 'page entry (dist/index.js)', file: 'index.js', limit: 0.2 },
  { name: 'page tools (dist/page-tools.js)', file: 'page-tools.js', limit: 0.2 },
  { name: 'chat (dist/chat.js)', file: 'chat.js', limit: 0.4 },
  { name: 'worker (dist/worker.js)', file: 'worker.js', limit: 0.7 },
].map((row) => ({ ...row, cost: importCost(inProject('dist', row.file)) }))

for (const [name, bytes, limit] of rows) {
  const verdict = `limit ${limit.toFixed(1)} kB: ${bytes > limit * KILOBYTE ? 'TOO LARGE' : 'ok'}`
  const size = (bytes / KILOBYTE).toFixed(1)
  console.log(`${name.padEnd(48)} ${size.padStart(6)} kB gzip  ${verdict}`)
}
console.log('\nCPU on import, without parsing, as a multiple of a fixed piece of work')
for (const { name, cost, limit } of imports) {
  const verdict = `limit ${limit.toFixed(2)}: ${cost > limit ? 'TOO SLOW' : 'ok'}`
  console.log(`${name.padEnd(48)} ${cost.toFixed(2).padStart(6)}          ${verdict}`)
}
const isOver =
  rows.some(([, bytes, limit]) => bytes > limit * KILOBYTE) ||
  imports.some(({ cost, limit }) => cost > limit)
process.exit(isOver ? 1 : 0)

/** Names of a built file's exports, for an import of all but these. */
async function exportsBut(file, names) {
  const all = Object.keys(await import(inProject('dist', file)))
  return all.filter((name) => !names.includes(name)).join(', ')
}

/** Bytes of a page that loads none of these chunks, and none of those with a row of their own. */
function pageWithout(...chunks) {
  const except = chunksOf([...chunks, ...Object.keys(BESIDE_PAGE)].join('|'))
  return sizeOf('index.js', { dynamic: true, except })
}

/** Bytes that chunks add to the rest of an entry. */
function added(file, chunks) {
  const without = sizeOf(file, { dynamic: true, except: chunksOf(chunks) })
  return sizeOf(file, { dynamic: true }) - without
}

/** Matches the files of chunks, whose names are joined by `|`. */
function chunksOf(names) {
  return new RegExp(`^(${names})-`)
}

/** Bytes that a feature of a memory adds to its entry, without the parts that `except` names. */
function memoryPart(except) {
  return sizeOf('memory.js', { dynamic: true, except }) - sizeOf('memory.js', { dynamic: false })
}

/** Bytes that `file` adds to a page that has already loaded `other`. */
function sizeBeside(file, other) {
  const loaded = filesOf(other, { dynamic: true })
  return sum([...filesOf(file, { dynamic: true })].filter((name) => !loaded.has(name)))
}

function sizeOf(file, options) {
  return sum([...filesOf(file, options)])
}

function filesOf(file, options) {
  return importGraph(file, { folder: inProject('dist'), ...options })
}

function sum(files) {
  return files
    .map((name) => gzipSync(readFileSync(inProject('dist', name)), { level: 9 }).length)
    .reduce((sum, bytes) => sum + bytes, 0)
}
