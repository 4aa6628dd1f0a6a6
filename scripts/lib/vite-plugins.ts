import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { minify } from '@swc/core'
import type { Plugin } from 'vite'

const VIRTUAL_ID = 'virtual:offstage-worker-source'
const INLINE_ENTRY = 'src/client/inline/inline-worker.ts'

/**
 * Replaces the first match of each pattern in a file. The build fails where a pattern matches nothing: another version
 * of the file needs another patch.
 */
function patch(
  name: string,
  file: RegExp,
  parts: readonly (readonly [pattern: RegExp, replacement: string])[],
): Plugin {
  return {
    name: `offstage:${name}`,
    transform(code, id) {
      if (!file.test(id.replaceAll('\\', '/'))) return null
      if (parts.some(([pattern]) => code.search(pattern) < 0))
        this.error(`${id} is not as this plugin knows it.`)
      const patched = parts.reduce(
        (result, [pattern, replacement]) => result.replace(pattern, () => replacement),
        code,
      )
      return { code: patched, map: null }
    },
  }
}

/** Makes the worker's part a file that leaves its exports where `parts.ts` of the same build looks for them. */
export function workerPart(): Plugin {
  const lines = `
import * as part from './action-part.ts'
Reflect.set(globalThis, 'offstage ' + OFFSTAGE_PARTS, part)
`
  return patch('worker-part', /\/src\/worker\/action-part\.ts$/, [[/$/, lines]])
}

/** The worker takes from its part what the package's other files load by themselves. */
export function importsFromPart(): Plugin {
  const imported =
    /import\('(?:\.{1,2}\/)+(?:providers\/core\/)?(?:scripted|form-adapter|request-form)\.ts'\)/g
  const parts = path.resolve(import.meta.dirname, '../../src/worker/parts.ts')
  return {
    name: 'offstage:imports-from-part',
    enforce: 'pre',
    transform(code, id) {
      if (!/[\\/]src[\\/](?:providers|worker)[\\/]/.test(id) || !imported.test(code)) return null
      const specifier = JSON.stringify(parts.replaceAll('\\', '/'))
      return {
        code: `import { needActionPart as loadPart } from ${specifier}\n${code.replaceAll(imported, 'loadPart()')}`,
        map: null,
      }
    },
  }
}

/** Tells bundlers to leave the worker's `import()` alone: its address is known only to the page. */
export function ignoredByBundlers(): Plugin {
  return {
    name: 'offstage:ignored-by-bundlers',
    generateBundle: {
      // After the minifiers, which drop comments.
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle)) {
          if (output.type !== 'chunk') continue
          const parts = output.code.split('import(')
          if (parts.length === 1) this.error(`${output.fileName} imports nothing in its course.`)
          output.code = parts.join('import(/* webpackIgnore: true *//* @vite-ignore */')
        }
      },
    },
  }
}

/** Leaves the packed worker to `inline-worker.js`, which a module imports. A classic script loads it by itself. */
export function workerSource({ isClassic = false } = {}): Plugin {
  return {
    name: 'offstage:worker-source',
    resolveId(id) {
      if (id !== VIRTUAL_ID) return null
      if (isClassic) return `\0${id}`
      return { id: './inline-worker.js', external: true, moduleSideEffects: true }
    },
    load: (id) => (id === `\0${VIRTUAL_ID}` ? '' : null),
  }
}

/**
 * Writes the worker that was built before as `inline-worker.js`, a module and a classic script alike. The worker is a
 * classic script in a function, which makes no globals, and packed, since bundlers warn about large files.
 */
export function packedWorker(): Plugin {
  let folder = ''
  return {
    name: 'offstage:packed-worker',
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir)
    },
    async generateBundle() {
      const worker = await readFile(path.join(folder, 'worker-whole.js'), 'utf8')
      const text = `(()=>{"use strict";${worker}\n})()`
      // Compiled, not run: throws at whatever only a module may hold.
      new Script(text)
      const packed = gzipSync(text, { level: 9 }).toString('base64')
      const source = `globalThis[Symbol.for("offstage.worker")]="${packed}";\n`
      this.emitFile({ type: 'asset', fileName: 'inline-worker.js', source })
    },
  }
}

/**
 * Keeps the inline worker a file of its own beside `index.js`: it is large, and loaded only where the
 * worker file can't be.
 */
export function inlineEntryBeside(): Plugin {
  return {
    name: 'offstage:inline-entry-beside',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (id === 'offstage/inline') return { id: './inline.js', external: true }
      const resolved = await this.resolve(id, importer, { skipSelf: true })
      if (!resolved?.id.replaceAll('\\', '/').endsWith(`/${INLINE_ENTRY}`)) return resolved
      return { id: './inline.js', external: true }
    },
  }
}

/** Sources, and the built files that stand for them in another build. */
type Beside = readonly (readonly [source: string, file: string])[]

const ENTRIES: Beside = [
  ['/src/index.ts', './index.js'],
  ['/src/page-tools/index.ts', './page-tools.js'],
  ['/src/ui/chat/index.ts', './chat.js'],
]

/** For `offstage/testing`: the page, what tells user gestures, and Ajv. */
export const BESIDE_TESTS: Beside = [
  ['/src/client/api/create-agent.ts', './no-inline.js'],
  ['/src/client/execution/user-gestures.ts', './user-gestures-part.js'],
  ['/ajv/dist/2020.js', './ajv.js'],
]

/** Loads the files of other builds, which a page may have loaded already. Default: those of the entries. */
export function entriesBeside(entries: Beside = ENTRIES): Plugin {
  return {
    name: 'offstage:entries-beside',
    enforce: 'pre',
    async resolveId(specifier, importer) {
      const resolved = await this.resolve(specifier, importer, { skipSelf: true })
      const id = resolved?.id.replaceAll('\\', '/') ?? ''
      const file = entries.find(([source]) => id.endsWith(source))?.[1]
      return file ? { id: file, external: true, moduleSideEffects: true } : resolved
    },
  }
}

/** The file that tells user gestures is an entry, which would keep what only unit tests import. */
export function withoutTestExports(): Plugin {
  const plugin = patch('without-test-exports', /\/src\/client\/execution\/user-gestures\.ts$/, [
    [/^export (?=const NO_TRACK\b)/m, ''],
    [/^export (?=function trackPress\b)/m, ''],
  ])
  return { ...plugin, enforce: 'pre' }
}

/** Lets `offstage/testing` take Ajv's class from the file that has it. */
export function exportsAjv(): Plugin {
  return patch('exports-ajv', /\/src\/connect\/ajv\/index\.ts$/, [[/$/, '\nexport { Ajv2020 }\n']])
}

/**
 * Minifies chunks once more. The bundler's minifier doesn't inline code that is used once (2 to 4 % of the gzip size), and
 * writes strings as templates, by which other bundlers don't find the worker.
 */
export function minifiedTwice(): Plugin {
  return {
    name: 'offstage:minified-twice',
    async generateBundle({ format }, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue
        const { code } = await minify(output.code, {
          // The script for a page has a global name, which nothing in it uses.
          module: format === 'es',
          // Keeps `'use client'`.
          compress: { ecma: 2020, passes: 3, directives: false },
          mangle: true,
          // A page without a charset, or from a file, reads a script in the charset of its system.
          format: { asciiOnly: format !== 'es' },
        })
        output.code = code
      }
    },
  }
}

/**
 * On import, `@cfworker/json-schema` makes a base URI of the worker's location, which throws in a
 * blob worker. It only resolves relative `$id`s; its own fallback does that as well.
 */
export function fixedSchemaBase(): Plugin {
  const fromLocation =
    /typeof self !== 'undefined' &&[^;]*\?\s*new URL\(self\.location[^;]*:\s*(?=new URL\()/
  return patch('fixed-schema-base', /@cfworker\/json-schema\/.*\/dereference\.js$/, [
    [fromLocation, ''],
  ])
}

/**
 * Strips Comlink down to plain calls. We don't use its proxied functions and objects, property access, constructors,
 * released proxies, or windows with their origins.
 */
export function onlyCalls(): Plugin {
  const unused: readonly RegExp[] = [
    /^ +\["proxy", proxyTransferHandler\],$/m,
    /^ +if \(!isAllowedOrigin\([^]*?^ {8}\}$/m,
    /^ +case "(?:GET|SET)" [^]*?(?=^ +case "APPLY")/m,
    /^ +case "CONSTRUCT" [^]*?(?=^ +default:)/m,
    /^ +if \(type === "RELEASE"[^]*?^ {12}\}$/m,
    /^const proxyFinalizers = [^]*?^ {4}\}\);$/m,
    /^ +throwIfProxyReleased\(isProxyReleased\);\n +if \(prop === releaseProxy\)[^]*?^ {12}\}$/m,
    /^ +const r = requestResponseMessage\([^]*?return r\.then\.bind\(r\);$/m,
    /^ {8}set\(_target[^]*?(?=^ {8}apply\()/m,
    /^ +throwIfProxyReleased\(isProxyReleased\);\n +const last = [^]*?(?=^ +const \[argumentList)/m,
    /^ {8}construct\(_target[^]*?^ {8}\},$/m,
    /^ {4}registerProxy\(proxy, ep\);$/m,
  ]
  const parts = unused.map((pattern) => [pattern, ''] as const)
  return patch('only-calls', /\/comlink\/dist\/esm\/comlink\.mjs$/, parts)
}

/**
 * Replaces the polyfills of dom-accessibility-api. Its class for browsers without `Set` is used in all others by
 * mistake, where each look-up reads a whole list.
 */
export function nativeCollections(): Plugin[] {
  return [
    patch('native-array', /\/dom-accessibility-api\/dist\/polyfills\/array\.from\.mjs$/, [
      [/[^]+/, 'export default Array.from'],
    ]),
    patch('native-set', /\/dom-accessibility-api\/dist\/polyfills\/SetLike\.mjs$/, [
      [/^function _typeof[^]*(?=^export default )/m, ''],
      [/typeof Set === "undefined" \? /, ''],
      [/ : SetLike/, ''],
    ]),
  ]
}

/**
 * Strips idb down to requests as promises. We don't use a database's shortcuts, which open a transaction each, or `for
 * await` over cursors.
 */
export function onlyTransactions(): Plugin {
  const unused = /^const readMethods = [^]*(?=^export \{)/m
  return patch('only-transactions', /\/idb\/build\/index\.js$/, [[unused, '']])
}

/**
 * Lit lists its versions in globals, for warnings of its development build, and what decorators say of properties, of
 * which there are none here: importing an element makes no globals.
 */
export function withoutLitGlobals(): Plugin[] {
  const versionList =
    /\(\w+\.(?:litHtml|litElement|reactiveElement)Versions\?\?=\[\]\)\.push\("[^"]*"\)/
  return [
    patch(
      'without-lit-versions',
      /\/(?:lit-html\/lit-html|lit-element\/lit-element|reactive-element\/reactive-element)\.js$/,
      [[versionList, 'void 0']],
    ),
    patch('without-lit-metadata', /\/reactive-element\/reactive-element\.js$/, [
      [/\w+\.litPropertyMetadata\?\?=new WeakMap/, 'void 0'],
      [/litPropertyMetadata\.get\(/, 'globalThis.litPropertyMetadata?.get('],
    ]),
  ]
}

/** In draft 2020-12 `format` checks nothing, and `@cfworker/json-schema` can't be told so. */
export function withoutFormats(): Plugin {
  return {
    name: 'offstage:without-formats',
    load: (id) =>
      /\/@cfworker\/json-schema\/.*\/format\.js$/.test(id) ? 'export const format = {}' : null,
  }
}

/** `keyword-words.ts` reads few sentences of `@cfworker/json-schema`: it has words of its own for all keywords. */
export function onlyReadSentences(): Plugin {
  const sentences = /error: `[^`]*`/g
  const usedSentence =
    /required property|Property name|does not have|exactly one|(?:additional|unevaluated) properties schema|Duplicate/
  return {
    name: 'offstage:only-read-sentences',
    transform(code, id) {
      if (!/@cfworker\/json-schema\/.*\/validate\.js$/.test(id)) return null
      const shorter = code.replace(sentences, (sentence) =>
        usedSentence.test(sentence) ? sentence : "error: ''",
      )
      if (shorter === code) this.error(`${id} is not as this plugin knows it.`)
      return { code: shorter, map: null }
    },
  }
}

/**
 * `@cfworker/json-schema` compares each item of an array with each other for `uniqueItems`. What a model
 * writes is long enough to keep a worker busy for seconds: `first-twins.ts` goes through the items once.
 */
export function linearUniqueItems(): Plugin {
  const pairwiseCheck =
    /for \(let j = 0; j < length; j\+\+\) \{\s+const a = instance\[j\];[^]*?(?=^ {8}\}$)/m
  const linearCheck = `const twins = firstTwins(instance);
            if (twins) {
                errors.push({
                    instanceLocation,
                    keyword: 'uniqueItems',
                    keywordLocation: \`\${schemaLocation}/uniqueItems\`,
                    error: \`Duplicate items at indexes \${twins.join(' and ')}.\`
                });
            }
`
  const module = path.resolve(import.meta.dirname, '../../src/worker/validation/first-twins.ts')
  const imported = `import { firstTwins } from ${JSON.stringify(module.replaceAll('\\', '/'))};\n`
  return patch('linear-unique-items', /@cfworker\/json-schema\/.*\/validate\.js$/, [
    [pairwiseCheck, linearCheck],
    [/^/, imported],
  ])
}

/**
 * The XML parser is given text only. That it asks whether its input is a `Buffer` makes some bundlers add
 * Node's `buffer` to the page.
 */
export function onlyTextAsXml(): Plugin {
  const fromBytes = /^ +if \(typeof xmlData !== "string"[^]*?(?=^ +if \(validationOption\))/m
  return patch('only-text-as-xml', /\/fast-xml-parser\/src\/xmlparser\/XMLParser\.js$/, [
    [fromBytes, ''],
  ])
}

/**
 * Templates of the chat and the inspector without indentation and needless line ends, which are neither markup nor text, and
 * styles without comments and spaces: a minifier keeps what is in a template literal.
 */
export function plainTemplates(): Plugin {
  return {
    name: 'offstage:plain-templates',
    transform(code, id) {
      const styled = code.replaceAll(/\bcss`[^`]*`/g, withoutSpaces)
      const isView = /\/src\/ui\/(?:chat|inspector)\/(?:views|styles)\/[^?]*\.ts$/.test(id)
      if (!isView && (styled === code || !/\/src\/ui\/(?:chat|inspector|shared)\//.test(id)))
        return null
      return { code: styled.replaceAll(/\n[ \t]+/g, '\n').replaceAll(/\n(?=>|`)/g, ''), map: null }
    },
  }
}

/** A space before a colon stays: it combines selectors. */
function withoutSpaces(styles: string): string {
  return styles
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>!]) ?|: /g, (part) => part.trim())
    .replaceAll(';}', '}')
}
