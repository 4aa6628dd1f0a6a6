import { build, type Rolldown } from 'vite'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// A bundled app: what a bundler makes of classes and of a module's namespace is what the page has.

const CATALOGUE = `
export const currency = 'EUR'
export function findProduct(query, limit = 5) { return [query, limit] }
export const listProducts = async ({ category, sorted = false }) => ({ category, sorted })
export class Product {}
`

const APP = `
import { createAgent } from '/dist/index.js'
import { toolsFrom } from '/dist/tools-from.js'
import * as catalogue from 'virtual:catalogue'

class Store extends EventTarget {
  save() { return 'saved' }
}
class Cart extends Store {
  #items = []
  static tools = { clear: { annotations: { destructive: true } } }
  get total() { throw new Error('a getter ran') }
  add(sku, quantity = 1) { this.#items.push(sku); return [sku, quantity, this.#items.length] }
  clear() { this.#items = []; return this }
  _audit() {}
}
const text = { type: 'string' }
const described = {
  cart: { add: { inputSchema: { type: 'object', properties: { sku: text, quantity: { type: 'number' } }, required: ['sku'] } } },
  catalogue: { findProduct: { inputSchema: { type: 'object', properties: { query: text }, required: ['query'] } } },
}
window.toolsOf = (isDescribed) => [
  ...toolsFrom(new Cart(), { prefix: 'cart_', describe: isDescribed ? described.cart : {} }),
  ...toolsFrom(catalogue, { describe: isDescribed ? described.catalogue : {} }),
]
window.agentOf = (isDescribed, script) => createAgent({
  model: { provider: 'scripted', model: 'x', script }, tools: window.toolsOf(isDescribed), toolApproval: 'never',
})
document.documentElement.dataset.app = ''
`

interface App {
  readonly toolsOf: (isDescribed: boolean) => { readonly name: string }[]
  readonly agentOf: (
    isDescribed: boolean,
    script: object,
  ) => { run: (text: string) => { result: Promise<{ toolCalls: readonly object[] }> } }
}

async function bundle(minify: boolean): Promise<string> {
  const sources: Readonly<Record<string, string>> = {
    'virtual:app': APP,
    'virtual:catalogue': CATALOGUE,
  }
  const [built] = [
    await build({
      configFile: false,
      logLevel: 'warn',
      plugins: [
        {
          name: 'sources',
          resolveId: (id) => (id in sources ? `\0${id}` : null),
          load: (id) => sources[id.slice(1)] ?? null,
        },
      ],
      build: {
        write: false,
        minify,
        rolldownOptions: { input: 'virtual:app', external: [/^\/dist\//] },
      },
    }),
  ].flat() as Rolldown.RolldownOutput[]
  return built!.output[0].code
}

const calls = [
  { toolName: 'cart_add', input: { sku: 'mug', quantity: 2 } },
  { toolName: 'cart_add', input: { sku: 'cup' } },
  { toolName: 'cart_clear', input: {} },
  { toolName: 'cart_save', input: {} },
  { toolName: 'findProduct', input: { query: 'mug' } },
  { toolName: 'listProducts', input: { category: 'cups' } },
]
const outputs = [
  ['mug', 2, 1],
  ['cup', 1, 2],
  'Done. The tool returned nothing.',
  'saved',
  ['mug', 5],
  { category: 'cups', sorted: false },
]

for (const minify of [false, true])
  test(
    `${minify ? 'minified' : 'bundled'} classes and modules become tools`,
    MORE,
    async ({ openPage, site }) => {
      const file = `/tools-from-${minify}.js`
      site.add(file, { body: await bundle(minify) })
      const page = await openPage({ body: `<script type="module" src="${file}"></script>` })
      const warnings: string[] = []
      page.on('console', (line) => warnings.push(line.text()))
      await page.locator('html[data-app]').waitFor({ state: 'attached' })
      const refused = await page.evaluate(() => {
        try {
          ;(window as unknown as App).toolsOf(false)
          return null
        } catch (error) {
          return String(error)
        }
      })
      if (minify) expect(refused).toContain('add: its parameters (')
      else expect(refused).toBeNull()
      expect(warnings.filter((text) => text.includes('minified'))).toHaveLength(minify ? 1 : 0)
      const { toolCalls } = await page.evaluate(
        ([isDescribed, toolCalls]) =>
          (window as unknown as App)
            .agentOf(isDescribed, {
              steps: [{ toolCalls }, { text: 'Done.' }],
            })
            .run('Go').result,
        [minify, calls] as const,
      )
      expect(toolCalls).toMatchObject(
        outputs.map((value) => ({ status: 'succeeded', output: { value } })),
      )
    },
  )
