import { defineConfig, type Rolldown, type UserConfig } from 'vite'
import {
  BESIDE_TESTS,
  entriesBeside,
  exportsAjv,
  fixedSchemaBase,
  ignoredByBundlers,
  importsFromPart,
  inlineEntryBeside,
  linearUniqueItems,
  minifiedTwice,
  nativeCollections,
  onlyCalls,
  onlyReadSentences,
  onlyTextAsXml,
  onlyTransactions,
  packedWorker,
  plainTemplates,
  withoutFormats,
  withoutLitGlobals,
  withoutTestExports,
  workerPart,
  workerSource,
} from './scripts/lib/vite-plugins.ts'
import { inputHash } from './scripts/lib/build-stamp.mjs'

/** A server that renders a page imports its elements, and has neither of these. */
const STAND_INS =
  'const HTMLElement=globalThis.HTMLElement??class{},document=globalThis.document??{createTreeWalker(){}};'

/** By this id, a worker knows the parts that were built with it. */
const PARTS = { OFFSTAGE_PARTS: JSON.stringify(inputHash().slice(0, 12)) }

/** In all other files, a worker holds its parts. */
const WHOLE = {
  OFFSTAGE_PARTS: 'undefined',
  OFFSTAGE_SCRIPT: 'undefined',
}

/** Modules by which a conversation is folded. */
const FOLDING =
  /[\\/]src[\\/]conversation[\\/](checkpoint|compactions|context|fold|fold-call|fold-run|live|nested|pending|result|state|taint|tree|usage)\.ts$/

/** The library's builds, in the order in which they need each other. `scripts/build.mjs` runs them. */
const builds: Record<string, UserConfig> = {
  /**
   * A file that imports none by name: consumers copy it to where `workerUrl` says, or their bundlers follow it as it is,
   * and Vite 7 refuses to build workers that import in their course, unless `worker.format` is `es`. It loads its part
   * from an address that the page gives it.
   */
  worker: {
    ...library({
      entry: { worker: 'src/worker/main.ts' },
      splitting: false,
      plugins: [ignoredByBundlers(), importsFromPart()],
    }),
    define: PARTS,
  },

  /** Entry of the file that the worker loads for calls in text. Shares no file with the worker, which would start a second one. */
  'worker-action': {
    ...library({
      entry: { 'worker-action': 'src/worker/action-part.ts' },
      splitting: false,
      plugins: [workerPart()],
    }),
    define: PARTS,
  },

  /** The worker with its part, for the inline worker. */
  'worker-whole': library({ entry: { 'worker-whole': 'src/worker/main.ts' }, splitting: false }),

  /** What a page loads at once, what comes with its first run, and the inline worker in need. */
  page: library({
    entry: {
      index: 'src/index.ts',
      'no-inline': 'src/no-inline.ts',
      // Adds little where the page's code is there already.
      'tools-from': 'src/tools-from.ts',
      skills: 'src/skills/index.ts',
      // Loaded on demand, and by the tests' entry at once.
      'user-gestures-part': 'src/client/execution/user-gestures.ts',
      'ai-sdk': 'src/connect/ai-sdk/index.ts',
    },
    // In one file, with what the chunk of the first run shares with it: two would compress worse. The same holds
    // for that chunk and what is loaded after it.
    splitting: {
      groups: [
        {
          name: 'page',
          test: /[\\/]src[\\/]client[\\/]\w+[\\/](entry|create-agent|define-tool|pending)\.ts$/,
          priority: 1,
        },
        { name: 'lazy-runtime', test: /[\\/]src[\\/]client[\\/]api[\\/]lazy-runtime\.ts$/ },
        { name: 'define-skill', test: /[\\/]src[\\/]skills[\\/]define-skill\.ts$/ },
        { name: 'is-json', test: /[\\/]src[\\/]lib[\\/]json[\\/]is-json\.ts$/ },
        // A bundler leaves it out where only tools are made.
        {
          name: 'agent-from-config',
          test: /[\\/]src[\\/]connect[\\/]tools-from[\\/]agent-from-config\.ts$/,
        },
      ],
    },
    plugins: [inlineEntryBeside(), withoutTestExports()],
  }),

  /** The packed worker, and the file that unpacks it. */
  inline: library({
    entry: { inline: 'src/client/inline/inline-worker.ts' },
    splitting: false,
    plugins: [workerSource(), packedWorker()],
  }),

  /** Entries that are rarely on a page together; what they share is a chunk. */
  library: library({
    entry: {
      'start-worker': 'src/worker/start-worker.ts',
      providers: 'src/providers/index.ts',
      action: 'src/action/index.ts',
      conversation: 'src/conversation/index.ts',
      histories: 'src/providers/history/index.ts',
      'page-tools': 'src/page-tools/index.ts',
      memory: 'src/memory/index.ts',
      webmcp: 'src/connect/webmcp/index.ts',
      'http-store': 'src/http-store/index.ts',
      testing: 'src/testing/index.ts',
      engines: 'src/engines/index.ts',
      'prompt-api': 'src/engines/prompt-api/index.ts',
      webllm: 'src/engines/webllm/index.ts',
      'webllm-worker': 'src/engines/webllm/serve-webllm.ts',
      wllama: 'src/engines/wllama/index.ts',
      'wllama-worker': 'src/engines/wllama/serve-wllama.ts',
      'ai-sdk-worker': 'src/connect/ai-sdk/model/from-language-model.ts',
    },
    plugins: [entriesBeside(BESIDE_TESTS)],
    // Each as a file of its own would take more for its import than for itself.
    splitting: {
      groups: [
        { name: 'once', test: /[\\/]src[\\/]lib[\\/](fnv1a|once)\.ts$/ },
        { name: 'tool-prefix', test: /[\\/]src[\\/]lib[\\/](tool-prefix|unload-note)\.ts$/ },
        {
          name: 'load-part',
          test: /[\\/]src[\\/](client[\\/]api[\\/](failures|load-part)|client[\\/]tools[\\/]clean-name|lib[\\/]page-singleton)\.ts$/,
        },
        { name: 'secret-words', test: /[\\/]src[\\/]lib[\\/](normalize|secret)-words\.ts$/ },
        // Whatever else needs these isn't to load the groups below.
        { name: 'error', test: /[\\/]src[\\/]protocol[\\/]error\.ts$/, priority: 2 },
        { name: 'sleep', test: /[\\/]src[\\/]lib[\\/]sleep\.ts$/, priority: 2 },
        { name: 'text-digest', test: /[\\/]src[\\/]lib[\\/]text-digest\.ts$/, priority: 2 },
        // A bundler leaves out the others where one is imported.
        { name: 'checkpoint', test: FOLDING, priority: 1 },
        { name: 'project', test: /[\\/]src[\\/]conversation[\\/](discussion|project)\.ts$/ },
        { name: 'view', test: /[\\/]src[\\/]conversation[\\/]view\.ts$/ },
        { name: 'undo-plan', test: /[\\/]src[\\/]conversation[\\/]undo-plan\.ts$/ },
        // Files that a page loads for page tools before their first call.
        {
          name: 'lend-tools',
          test: /[\\/]src[\\/]page-tools[\\/](page|definitions|tools[\\/](page-tools|use-form-tools))\.ts$/,
        },
      ],
    },
  }),

  /** Shares nothing with the others, which would fall into more pieces by it. */
  mcp: library({
    entry: { mcp: 'src/connect/mcp/index.ts' },
    // What each connection needs in one file: several would compress worse.
    splitting: {
      groups: [
        {
          name: 'mcp-base',
          test: /[\\/]src[\\/](client[\\/]api[\\/]load-part|lib[\\/]shape)\.ts$/,
          priority: 2,
        },
        { name: 'connect', test: /[\\/]src[\\/]connect[\\/]mcp[\\/]connect\.ts$/, priority: 1 },
      ],
    },
  }),

  /** Runs where none of the others do. */
  server: library({
    entry: { 'http-store-server': 'src/http-store/server/index.ts' },
    splitting: false,
  }),

  /** The same, in other routes. */
  relay: library({ entry: { relay: 'src/relay/index.ts' }, splitting: false }),

  /** A service worker loads a single file best. */
  mock: library({ entry: { mock: 'src/testing/mock/index.ts' }, splitting: false }),

  /** For workers of apps that want it: beside the worker, with a library of its own. */
  ajv: library({
    entry: { ajv: 'src/connect/ajv/index.ts' },
    splitting: false,
    plugins: [exportsAjv()],
  }),

  /** What people see, each by itself: few pages have two, and one file compresses better than what several would share. */
  chat: stage(
    { chat: 'src/ui/chat/index.ts', 'chat-class': 'src/ui/chat/chat-class.ts' },
    // The element and what its later parts share are one file: several would compress worse.
    {
      groups: [{ name: 'chat-element', test: /[\\/]src[\\/]ui[\\/]chat[\\/]chat-class\.ts$/ }],
    },
  ),
  'chat-parts': stage({ 'chat-parts': 'src/ui/chat/chat-parts.ts' }, false),
  inspector: stage({
    inspector: 'src/ui/inspector/index.ts',
    'inspector-class': 'src/ui/inspector/inspector-class.ts',
  }),

  /** For a `<script>` that adds page tools and a chat: loads the files of three entries. */
  copilot: library({
    entry: { copilot: 'src/copilot.ts' },
    splitting: false,
    plugins: [entriesBeside()],
  }),

  react: binding('react', "'use client';"),
  vue: binding('vue'),
  svelte: binding('svelte'),

  /** For a `<script>`: the page's API as `Offstage`. Loads the worker, or the packed one, from beside itself. */
  global: {
    ...library({
      entry: { 'offstage.global': 'src/index.ts' },
      splitting: false,
      format: 'iife',
      plugins: [workerSource({ isClassic: true })],
    }),
    // A classic script has no `import.meta`; its own address is known only while it first runs.
    define: {
      ...WHOLE,
      'import.meta.url': 'offstageScriptUrl',
      OFFSTAGE_SCRIPT: 'offstageScript',
    },
  },
}

function stage(
  entry: Record<string, string>,
  splitting: boolean | CodeSplitting = true,
): UserConfig {
  return library({
    entry,
    splitting,
    intro: STAND_INS,
    plugins: [withoutLitGlobals(), plainTemplates()],
  })
}

/** One file for each framework, which is the app's own: few pages have two, and several files would compress worse. */
function binding(framework: string, banner = ''): UserConfig {
  return library({
    entry: { [framework]: `src/ui/${framework}/index.ts` },
    splitting: false,
    plugins: [entriesBeside()],
    banner,
  })
}

type CodeSplitting = Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>

interface LibraryBuild {
  entry: Record<string, string>
  splitting: boolean | CodeSplitting
  format?: 'es' | 'iife'
  plugins?: UserConfig['plugins']
  /** Stands at the beginning of each file. */
  intro?: string
  /** The same before all imports. */
  banner?: string
}

function library({
  entry,
  splitting,
  format = 'es',
  plugins = [],
  intro,
  banner,
}: LibraryBuild): UserConfig {
  return {
    define: WHOLE,
    plugins: [
      ...plugins,
      fixedSchemaBase(),
      linearUniqueItems(),
      nativeCollections(),
      onlyCalls(),
      onlyReadSentences(),
      onlyTextAsXml(),
      onlyTransactions(),
      withoutFormats(),
      minifiedTwice(),
    ],
    build: {
      target: 'es2023',
      emptyOutDir: false,
      copyPublicDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: [format], name: 'Offstage', fileName: (_, name) => `${name}.js` },
      rolldownOptions: {
        // The entry for tests loads at once what a page loads on demand.
        checks: { ineffectiveDynamicImport: false },
        // Optional peers: of engines, imported when they load a model, and of bindings.
        external: [/^@wllama\/wllama\b/, '@mlc-ai/web-llm', /^(?:react|react-dom|vue|svelte)\b/],
        output: {
          minify: true,
          comments: false,
          codeSplitting: splitting,
          // In the root: './worker.js' must mean the same file in a chunk as in an entry.
          chunkFileNames: '[name]-[hash].js',
          ...(intro !== undefined && { intro }),
          ...(banner && { banner }),
          ...(format === 'iife' && {
            // Read by the prototype: markup may name an element `currentScript`, which the document would return.
            intro:
              "const offstageScript=globalThis.Document&&Reflect.get(Document.prototype,'currentScript',document),offstageScriptUrl=offstageScript?.src;",
          }),
        },
      },
    },
  }
}

export default defineConfig(({ mode }) => {
  const build = builds[mode]
  if (!build) throw new Error(`No such build: ${mode}. Run scripts/build.mjs.`)
  return { configFile: false, logLevel: 'warn', ...build }
})
