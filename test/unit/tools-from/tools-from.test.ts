import { runInThisContext } from 'node:vm'
import { afterEach, describe, expect, it, test, vi } from 'vitest'
import * as z from 'zod'
import { OffstageError, type Tool, type ToolContext } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { agentCallable, toolsFrom, type ToolsFromOptions } from '../../../src/tools-from.ts'

class Store {
  items: unknown[][] = []
  save(...args: unknown[]): number {
    return this.items.push(args)
  }
}

class Cart extends Store {
  #total = 0
  limit = 3
  onChange: ((total: number) => void) | null = null
  readonly owner = 'Ada'
  get total(): number {
    throw new Error('a getter ran')
  }
  set total(_: number) {
    throw new Error('a setter ran')
  }
  static create(): Cart {
    return new Cart()
  }
  add(sku: string, quantity = 1): number {
    this.#total += quantity
    if (this.#total > 99) throw new Error('The cart is full.')
    return this.save(sku, quantity)
  }
  async remove({ sku, all = false }: { sku: string; all?: boolean }): Promise<unknown> {
    return { sku, all, owner: this.owner }
  }
  tag(sku: string, ...labels: string[]): string {
    return [sku, ...labels].join(' ')
  }
  _audit(): void {}
  clear(): this {
    return this
  }
  override toString(): string {
    return 'cart'
  }
  [Symbol.iterator](): void {}
}

const context = { signal: new AbortController().signal } as ToolContext
const nameOf = ({ name }: Tool): string => name
const named = (tools: readonly Tool[], name: string): Tool =>
  tools.find((tool) => tool.name === name) ?? expect.fail(`no tool ${name}`)
const call = (tools: readonly Tool[], name: string, input: object = {}): unknown =>
  named(tools, name).execute(input, context)

function refusal(target: object, options: object = {}): { code: string; message: string } {
  try {
    toolsFrom(target, options as ToolsFromOptions)
  } catch (error) {
    if (OffstageError.is(error)) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'none', message: '' }
}

describe('the methods of an object', () => {
  it('become tools, own and inherited, but no accessor, constructor, symbol or _name', () => {
    expect(toolsFrom(new Cart()).map(nameOf)).toEqual(['add', 'remove', 'tag', 'clear', 'save'])
  })

  it('have an inferred schema, count as writes, and never run in parallel', () => {
    const tools = toolsFrom(new Cart(), { prefix: 'cart_' })
    const add = named(tools, 'cart_add')
    expect(add).toMatchObject({
      description: 'Add.',
      sequential: true,
      inputSchema: {
        type: 'object',
        properties: { sku: {}, quantity: { type: 'number' } },
        required: ['sku'],
        additionalProperties: false,
      },
    })
    expect(add.annotations?.readOnly).toBeUndefined()
    expect(named(tools, 'cart_remove').inputSchema).toMatchObject({
      properties: { sku: {}, all: { type: 'boolean' } },
      required: ['sku'],
    })
    expect(named(tools, 'cart_tag').inputSchema).toMatchObject({
      properties: { labels: { type: 'array' } },
      required: ['sku'],
    })
    expect(named(tools, 'cart_clear').inputSchema).toBeUndefined()
  })

  it('are called on the object, with properties in the order of the parameters', async () => {
    const cart = new Cart()
    const tools = toolsFrom(cart)
    expect(await call(tools, 'add', { quantity: 2, sku: 'mug' })).toBe(1)
    expect(await call(tools, 'add', { sku: 'cup' })).toBe(2)
    expect(cart.items).toEqual([
      ['mug', 2],
      ['cup', 1],
    ])
    expect(await call(tools, 'remove', { sku: 'mug', all: true })).toEqual({
      sku: 'mug',
      all: true,
      owner: 'Ada',
    })
    expect(await call(tools, 'tag', { sku: 'mug', labels: ['a', 'b'] })).toBe('mug a b')
    expect(await call(tools, 'tag', { sku: 'mug' })).toBe('mug')
    await call(tools, 'save', { args: [1, 2] })
    expect(cart.items.at(-1)).toEqual([1, 2])
  })

  it('return nothing if they return the object itself, which may hold much', async () => {
    expect(await call(toolsFrom(new Cart()), 'clear')).toBeUndefined()
  })

  it('return the values that generators yield, up to a limit', async () => {
    const tools = toolsFrom({
      *count(to: number) {
        for (let each = 1; each <= to; each++) yield each
      },
      async *words() {
        yield 'a'
        yield 'b'
      },
      *forever() {
        for (;;) yield 0
      },
    })
    expect(await call(tools, 'count', { to: 3 })).toEqual([1, 2, 3])
    expect(await call(tools, 'words')).toEqual(['a', 'b'])
    expect(await call(tools, 'forever')).toHaveLength(1000)
  })

  it('reject if they throw, synchronously or later', async () => {
    const tools = toolsFrom({
      now() {
        throw new Error('now')
      },
      later: () => Promise.reject(new Error('later')),
    })
    await expect(call(tools, 'now')).rejects.toThrow('now')
    await expect(call(tools, 'later')).rejects.toThrow('later')
  })

  it('are left out if from a platform class, unless included', async () => {
    class Feed extends Map<string, string> {
      refresh(): string {
        return 'fresh'
      }
    }
    expect(toolsFrom(new Feed()).map(nameOf)).toEqual(['refresh'])
    expect(refusal(new Feed(), { include: ['entries'] }).message).toContain(
      'entries: its parameters can’t be read',
    )
    const store = new Map([['a', 1]])
    const inputSchema = { type: 'object', properties: { key: { type: 'string' } } }
    const tools = toolsFrom(store, { describe: { get: { inputSchema } } })
    expect(tools.map(nameOf)).toEqual(['get'])
    expect(await call(tools, 'get', { key: 'a' })).toBe(1)
  })

  it.each([
    ['EventTarget', EventTarget],
    ['AbortController', AbortController],
    // Between it and EventTarget, Node has a class that is no global.
    ['MessagePort', MessagePort],
    ['Promise', Promise],
  ])('are left out for %s, although Node writes some of them in JavaScript', (_, Platform) => {
    const feed: object = Object.create(Platform.prototype, {
      refresh: { value: () => 'fresh' },
    }) as object
    expect(toolsFrom(feed).map(nameOf)).toEqual(['refresh'])
    class Middle extends EventTarget {
      refresh(): string {
        return 'fresh'
      }
    }
    expect(toolsFrom(new (class extends Middle {})()).map(nameOf)).toEqual(['refresh'])
  })

  it('become tools for a global class of a script', () => {
    class GlobalShelf {
      look(): string {
        return 'empty'
      }
    }
    vi.stubGlobal('GlobalShelf', GlobalShelf)
    expect(toolsFrom(new GlobalShelf()).map(nameOf)).toEqual(['look'])
    expect(toolsFrom(new (class extends GlobalShelf {})()).map(nameOf)).toEqual(['look'])
  })

  it('are found on frozen objects, those without a prototype, modules and proxies', async () => {
    const plain = Object.assign(Object.create(null), { add: (sku: string) => `+${sku}` }) as object
    const proxied = new Proxy(new Map(), {})
    for (const target of [Object.freeze({ add: (sku: string) => `+${sku}` }), plain])
      expect(await call(toolsFrom(target), 'add', { sku: 'mug' })).toBe('+mug')
    const through = toolsFrom(new Proxy({ name: 'p', hello: () => 'hi' }, {}))
    expect(await call(through, 'hello')).toBe('hi')
    expect(toolsFrom(proxied)).toEqual([])
    const module = (await import('./shop-module.ts')) as object
    expect(toolsFrom(module).map(nameOf).toSorted()).toEqual(['findProduct', 'listProducts'])
  })

  it('are found in bundled namespaces, where each export is a getter', () => {
    const find = (query: string): string => query
    const other = { find }
    let hits = 0
    const from = (text: string): ((value: unknown) => () => unknown) =>
      runInThisContext(text) as never
    const namespace = Object.defineProperties({} as object, {
      [Symbol.toStringTag]: { value: 'Module' },
      rolldown: { enumerable: true, get: () => find },
      webpack: { enumerable: true, get: from('(f) => ()=>(/* binding */ f)')(find) },
      reexport: { enumerable: true, get: from('(o) => () => o.find')(other) },
      babel: {
        enumerable: true,
        get: from('(o) => function () { return o.find; }')(other),
      },
      rollup: Object.getOwnPropertyDescriptor(
        from('(f) => ({ get rollup () { return f; } })')(find),
        'rollup',
      )!,
      counted: { enumerable: true, get: () => (hits += 1) },
      called: { enumerable: true, get: () => find('x') },
      own: {
        enumerable: true,
        get(this: unknown) {
          hits += 1
          return find
        },
      },
    })
    expect(toolsFrom(namespace).map(nameOf)).toEqual([
      'rolldown',
      'webpack',
      'reexport',
      'babel',
      'rollup',
    ])
    const state = {
      get value() {
        hits += 1
        return find
      },
    }
    const reactive = Object.defineProperty({}, 'value', {
      enumerable: true,
      get: () => state.value,
    })
    expect(toolsFrom(reactive)).toEqual([])
    expect(hits).toBe(0)
  })
})

describe("a method's description", () => {
  const inputSchema = {
    type: 'object',
    properties: { sku: { type: 'string' } },
    required: ['sku'],
  } as const

  it('is taken from describe, agentCallable() or static tools before inference', () => {
    class Shop {
      static tools = {
        buy: { description: 'static', title: 'Buy', needsApproval: true },
        open: { description: 'static' },
      }
      buy(sku: string): string {
        return sku
      }
      open(): void {}
    }
    agentCallable({ description: 'marked', timeoutMs: 5, needsApproval: false })(Shop.prototype.buy)
    const tools = toolsFrom(new Shop(), {
      describe: { buy: { description: 'described', inputSchema, name: 'order' } },
    })
    expect(named(tools, 'order')).toMatchObject({
      description: 'described',
      title: 'Buy',
      timeoutMs: 5,
      needsApproval: false,
      inputSchema,
    })
    expect(named(tools, 'open').description).toBe('static')
  })

  it('also applies to an override', () => {
    class Base {
      static tools = { wipe: { needsApproval: true } }
      wipe(): void {}
      drop(): void {}
    }
    agentCallable({ annotations: { destructive: true } })(Base.prototype.drop)
    class Derived extends Base {
      override wipe(): void {}
      override drop(): void {}
    }
    const tools = toolsFrom(new Derived())
    expect(named(tools, 'wipe').needsApproval).toBe(true)
    expect(named(tools, 'drop').annotations).toEqual({ destructive: true })
  })

  it('is kept when a stronger one is undefined', () => {
    const wipe = agentCallable({ needsApproval: true })(() => 0)
    const undefinedThere = { needsApproval: undefined } as object
    const [tool] = toolsFrom({ wipe }, { describe: { wipe: undefinedThere } })
    expect(tool?.needsApproval).toBe(true)
  })

  it('can make it read-only, so that it runs in parallel', () => {
    const tools = toolsFrom(new Cart(), {
      include: ['add', 'clear'],
      describe: { add: { annotations: { readOnly: true } }, clear: { sequential: false } },
    })
    expect(named(tools, 'add').sequential).toBeUndefined()
    expect(named(tools, 'clear').sequential).toBe(false)
  })

  it('can include methods that are left out by default', () => {
    const cart = new Cart()
    expect(toolsFrom(cart, { include: ['_audit', 'toString'] }).map(nameOf)).toEqual([
      '_audit',
      'toString',
    ])
    agentCallable({})(cart.add)
    expect(toolsFrom(cart, { include: 'marked' }).map(nameOf)).toEqual(['add'])
  })

  it('can be filtered by functions, and exclude wins', () => {
    const tools = toolsFrom(new Cart(), {
      include: (name) => name.length <= 5,
      exclude: ['save', 'total'],
    })
    expect(tools.map(nameOf)).toEqual(['add', 'tag', 'clear'])
  })

  it('may have a validator schema, whose property order is the argument order', async () => {
    const schema = z.object({ sku: z.string(), amount: z.number().default(4) })
    const cart = new Cart()
    const tools = toolsFrom(cart, { describe: { add: { inputSchema: schema } } })
    await call(tools, 'add', { amount: 7, sku: 'mug' })
    expect(cart.items).toEqual([['mug', 7]])
  })

  it('decides with pass how the input is passed', async () => {
    const target = { take: (item: unknown, more?: unknown) => [item, more] }
    const schema = { type: 'object', properties: { b: {}, a: {} } }
    const as = (pass: 'object' | readonly string[]): Tool[] =>
      toolsFrom(target, { describe: { take: { inputSchema: schema, pass } } })
    expect(await call(as('object'), 'take', { a: 1, b: 2 })).toEqual([{ a: 1, b: 2 }, undefined])
    expect(await call(as(['a', 'b']), 'take', { a: 1, b: 2 })).toEqual([1, 2])
    expect(await call(as([]), 'take', { a: 1, b: 2 })).toEqual([undefined, undefined])
  })

  it('makes native, bound and proxied functions callable, with properties in schema order', async () => {
    const target = {
      power: Math.pow,
      bound: function (this: { by: number }, value: number) {
        return value * this.by
      }.bind({ by: 3 }),
      proxied: new Proxy((value: number) => value + 1, {}),
    }
    const value = { type: 'object', properties: { value: { type: 'number' } } }
    const tools = toolsFrom(target, {
      describe: {
        power: { inputSchema: { type: 'object', properties: { base: {}, exponent: {} } } },
        bound: { inputSchema: value },
        proxied: { inputSchema: value },
      },
    })
    expect(await call(tools, 'power', { exponent: 3, base: 2 })).toBe(8)
    expect(await call(tools, 'bound', { value: 2 })).toBe(6)
    expect(await call(tools, 'proxied', { value: 2 })).toBe(3)
  })
})

describe('agentCallable()', () => {
  it('returns the function, and marks methods and fields like a standard decorator', () => {
    const decorate = agentCallable({ description: 'Says.' })
    const say = (words: string): string => words
    expect(decorate(say)).toBe(say)
    const field = decorate(undefined, { kind: 'field', name: 'say' } as ClassFieldDecoratorContext)
    const shout = (words: string): string => words
    expect(field(shout)).toBe(shout)
    expect(toolsFrom({ say, shout, other: () => 0 }, { include: 'marked' }).map(nameOf)).toEqual([
      'say',
      'shout',
    ])
  })

  test.each([
    ['an older decorator’s target', [{}, 'add', { value: () => 0 }]],
    ['a private method', [() => 0, { kind: 'method', name: '#a', private: true }]],
    ['a symbol', [() => 0, { kind: 'method', name: Symbol('a') }]],
    ['a getter', [() => 0, { kind: 'getter', name: 'a' }]],
    ['a class', [class {}, { kind: 'class', name: 'A' }]],
    ['nothing', []],
  ])('refuses %s', (_, given) => {
    expect(() => (agentCallable() as (...args: unknown[]) => void)(...given)).toThrow(
      expect.objectContaining({ code: 'invalid-config' }),
    )
  })

  test.each([
    [{ descripton: 'x' }, 'description'],
    [{ parameters: {} }, 'inputSchema'],
    [{ execute: () => 0 }, 'execute()'],
    [{ pass: 'array' }, 'pass'],
    [{ description: 1 }, 'description'],
    [{ needsApproval: 'yes' }, 'needsApproval'],
  ])('refuses %o', (options, words) => {
    expect(() => agentCallable(options as object)).toThrow(words)
  })
})

describe('a schema is required', () => {
  test.each([
    ['native', { now: Date.now }],
    ['bound', { add: ((sku: string) => sku).bind(null) }],
    ['proxied', { add: new Proxy((sku: string) => sku, {}) }],
    ['a nameless parameter', { add: (_: string, [a]: string[]) => a }],
    ['more after a destructured one', { add: ({ sku }: { sku: string }, n: number) => [sku, n] }],
  ])('for %s', (_, target) => {
    const { code, message } = refusal(target)
    expect(code).toBe('invalid-config')
    expect(message).toContain('needs an inputSchema')
    expect(message).toContain(Object.keys(target)[0])
  })

  it('in one error for all methods without one', () => {
    const { message } = refusal({ now: Date.now, max: Math.max, fine: () => 0 })
    expect(message).toMatch(/now:.*max:/)
    expect(message).not.toContain('fine')
  })

  it('when an input could be passed in two ways', () => {
    const schema = (...names: string[]): object => ({
      inputSchema: { type: 'object', properties: Object.fromEntries(names.map((n) => [n, {}])) },
    })
    const target = {
      save: (settings: unknown) => settings,
      set: (sku: string, to: number) => [sku, to],
    }
    const asked = (describe: object): string => refusal(target, { describe }).message
    expect(asked({ save: schema('dark', 'wide') })).toContain("pass: 'object'")
    expect(asked({ set: schema('to', 'sku') })).toContain('same order')
    expect(asked({ save: { inputSchema: { type: 'object' } } })).toContain("pass: 'object'")
    expect(asked({ set: { ...schema('sku', 'to'), pass: ['sku', 'too'] } })).toContain('names too')
    expect(asked({ save: { pass: 'object' } })).toContain('needs an inputSchema')
    expect(asked({ save: schema('dark'), set: schema('sku', 'to') })).toBe('')
  })
})

describe('minified parameter names', () => {
  afterEach(() => vi.restoreAllMocks())

  it('require a schema, with one warning', async () => {
    vi.resetModules()
    const { toolsFrom } = await import('../../../src/tools-from.ts')
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const target = { add: (e: string, t: number) => [e, t], clear: () => 0 }
    expect(() => toolsFrom(target)).toThrow('add: its parameters (e, t) look minified.')
    expect(() => toolsFrom(target)).toThrow(expect.objectContaining({ code: 'invalid-config' }))
    expect(warn).toHaveBeenCalledTimes(1)
    const inputSchema = { type: 'object', properties: { sku: {}, quantity: {} } }
    expect(toolsFrom(target, { describe: { add: { inputSchema } } })).toHaveLength(2)
  })

  it('are not assumed for destructured keys, or for few short names', () => {
    const warn = vi.spyOn(console, 'warn')
    toolsFrom({ add: ({ a, b }: Record<string, unknown>) => [a, b], remove: (id: string) => id })
    toolsFrom({
      move: (x: number, y: number) => [x, y],
      title: (title: string, of: string) => [title, of],
    })
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('invalid options and objects throw', () => {
  const methods = { addToCart: () => 0, remove: () => 0 }
  test.each([
    [methods, { include: ['addTocart'] }, 'addToCart?'],
    [methods, { exclude: ['remov'] }, 'remove?'],
    [methods, { describe: { add_to_cart: {} } }, 'addToCart?'],
    [methods, { describe: { remove: { desc: 'x' } } }, 'remove in describe has no desc'],
    [methods, { includes: [] }, 'include?'],
    [methods, { include: 'addToCart' }, "'marked'"],
    [methods, { prefix: 1 }, 'prefix'],
    [methods, { exclude: 'remove' }, 'exclude'],
    [methods, { describe: null }, 'describe'],
    [methods, null, 'options'],
    [
      class Till {
        open(): void {}
      },
      {},
      'an instance',
    ],
    [[() => 0], {}, 'without a name'],
    [{ '€': () => 0 }, {}, 'letters or digits'],
    [{ Cart }, { include: ['Cart'] }, 'a class'],
  ])('%# %s', (target, options, words) => {
    const { code, message } = refusal(target, options as object)
    expect(code).toBe('invalid-config')
    expect(message).toContain(words)
  })

  test.each([[{ type: 'objekt' }], [{ type: 'string' }], [{ parameters: {} }], ['sku']])(
    'an invalid schema: %o',
    (inputSchema) => {
      const describe = { set: { inputSchema } }
      expect(refusal({ set: (sku: string) => sku }, { describe }).code).toBe('schema-invalid')
    },
  )

  it('two methods with one tool name', () => {
    expect(refusal({ 'a b': () => 0, 'a.b': () => 0 })).toMatchObject({ code: 'duplicate-tool' })
    expect(
      refusal({ one: () => 0, two: () => 0 }, { describe: { two: { name: 'one' } } }).code,
    ).toBe('duplicate-tool')
  })

  it('static tools that name no method, or are a getter', () => {
    class Misspelt {
      static tools = { bye: {} }
      buy(): void {}
    }
    expect(refusal(new Misspelt()).message).toContain('static tools of Misspelt names bye')
    let hits = 0
    class Getter {
      static get tools(): object {
        hits += 1
        return {}
      }
    }
    expect(refusal(new Getter()).code).toBe('invalid-config')
    expect(hits).toBe(0)
  })

  it('an unreadable object', () => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    expect(refusal(revoked.proxy).code).toBe('invalid-config')
    const endless: object = new Proxy({}, { getPrototypeOf: () => endless })
    expect(refusal(endless).message).toContain('no end')
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no keys')
        },
      },
    )
    expect(refusal(throwing).message).toContain('no keys')
  })
})

it('exported classes and getters that hide a method are not tools', () => {
  class Base {
    save(): void {}
  }
  class Quiet extends Base {}
  Object.defineProperty(Quiet.prototype, 'save', { get: () => expect.fail('a getter ran') })
  expect(toolsFrom(new Quiet())).toEqual([])
  expect(toolsFrom({ Cart, list: () => 0 }).map(nameOf)).toEqual(['list'])
})

it('unusual parameter names are passed to the function', async () => {
  const tools = toolsFrom({ take: (größe: string, $el: string) => `${größe}${$el}` })
  const agent = createTestAgent({
    tools,
    script: {
      steps: [
        { toolCalls: [{ toolName: 'take', input: { gr_e: 'a', _el: 'b' } }] },
        { text: 'done' },
      ],
    },
  })
  const result = await agent.run('x').result
  expect(result.toolCalls).toMatchObject([{ status: 'succeeded', output: { value: 'ab' } }])
  await agent.dispose()
})

it('a model calls methods in order, and gets its input errors', async () => {
  const log: string[] = []
  const shop = {
    async add(sku: string, quantity = 1) {
      log.push(`+${sku}`)
      await Promise.resolve()
      log.push(`-${sku}`)
      return { sku, quantity }
    },
  }
  const agent = createTestAgent({
    tools: toolsFrom(shop, { prefix: 'shop_' }),
    script: {
      steps: [
        {
          toolCalls: [
            { toolName: 'shop_add', input: { sku: 'mug', quantity: 2 } },
            { toolName: 'shop_add', input: { sku: 'cup' } },
            { toolName: 'shop_add', input: { skus: 'cup' } },
            { toolName: 'shop_add', input: { sku: 'cup', quantity: 'two' } },
          ],
        },
        { text: 'done' },
      ],
    },
  })
  const result = await agent.run('x').result
  expect(result.toolCalls.map(({ status }) => status)).toEqual([
    'succeeded',
    'succeeded',
    'invalid',
    'invalid',
  ])
  expect(log).toEqual(['+mug', '-mug', '+cup', '-cup'])
  await agent.dispose()
})

describe('functions and classes', () => {
  const search = (query: string): string => `found ${query}`
  function openOrder(id: string, isUrgent = false): unknown {
    return { id, isUrgent }
  }
  class Shop {
    static #visits = 0
    static visit(page: string): unknown {
      return { page, visits: (this.#visits += 1) }
    }
    static tools = { order: { description: 'Orders.' } }
    order(): void {}
  }

  it('a function or a list of functions becomes tools by name', async () => {
    const tools = toolsFrom([search, openOrder], {
      exclude: ['search'],
      describe: { openOrder: { name: 'open' } },
      prefix: 'shop_',
    })
    expect(tools.map(nameOf)).toEqual(['shop_open'])
    expect(await call(tools, 'shop_open', { id: '3', isUrgent: true })).toEqual({
      id: '3',
      isUrgent: true,
    })
    const one = toolsFrom(search)
    expect(one.map(nameOf)).toEqual(['search'])
    expect(await call(one, 'search', { query: 'mugs' })).toBe('found mugs')
  })

  it('a bound function keeps its name, and requires a schema', async () => {
    const bound = openOrder.bind(null, '7')
    expect(refusal([bound]).message).toContain('openOrder')
    const inputSchema = { type: 'object', properties: { isUrgent: { type: 'boolean' } } }
    const tools = toolsFrom([bound], { describe: { openOrder: { inputSchema } } })
    expect(await call(tools, 'openOrder', { isUrgent: true })).toEqual({ id: '7', isUrgent: true })
  })

  it('a class exposes its own and inherited static methods, none of the platform', async () => {
    class Branch extends Shop {
      static override visit(page: string): unknown {
        return super.visit(page)
      }
      static close(): string {
        return this.name
      }
    }
    expect(toolsFrom(Branch).map(nameOf)).toEqual(['visit', 'close'])
    expect(await call(toolsFrom(Branch), 'close')).toBe('Branch')
    expect(await call(toolsFrom(Shop), 'visit', { page: 'home' })).toEqual({
      page: 'home',
      visits: 1,
    })
    expect(refusal(class extends URL {}).message).toContain('an instance')
  })

  it('a list with other values, nameless functions or duplicate names is refused', () => {
    expect(refusal([search, 7 as never]).message).toContain('only contain functions')
    expect(refusal([search, Shop]).message).toContain('only contain functions')
    expect(refusal([search, search]).code).toBe('duplicate-tool')
    expect(refusal(new Proxy([search], { get: () => expect.fail('asked') })).code).toBe(
      'invalid-config',
    )
  })
})
