import { runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  type Parameter,
  readHead,
  readSignature,
} from '../../../src/connect/tools-from/infer/read-signature.ts'
import { someOf } from '../more.ts'

/** `name`, `name?`, `...name`, and after a colon the type. */
function signatureOf(fn: object): string {
  const signature = readSignature(fn)
  if (signature.kind !== 'function') return signature.kind
  return signature.parameters.map(words).join(', ')
}

function words({ name = '-', isOptional, isRest, schema }: Parameter): string {
  const { type, properties, required } = schema as {
    type?: string
    properties?: Record<string, { type?: string }>
    required?: string[]
  }
  const keys = Object.entries(properties ?? {}).map(
    ([key, inner]) =>
      `${key}${required?.includes(key) ? '' : '?'}${inner.type ? `:${inner.type}` : ''}`,
  )
  const inner = properties ? `{${keys.join(' ')}}` : (type ?? '')
  return `${isRest ? '...' : ''}${name}${isOptional && !isRest ? '?' : ''}${inner ? `:${inner}` : ''}`
}

/** Functions as they stand in scripts, made of text so that no compiler changes them. */
const make = (text: string): object => runInThisContext(`(${text})`) as object
const makeMethod = (text: string): object =>
  Object.values(Object.getOwnPropertyDescriptors(make(`{ ${text} }`) as Record<string, object>))[0]!
    .value as object

describe("parameters are read from a function's text", () => {
  test.each([
    ['function () {}', ''],
    ['function f(sku, quantity) { return sku }', 'sku, quantity'],
    ['function f(sku, quantity,) {}', 'sku, quantity'],
    ['async function (sku) {}', 'sku'],
    ['function* (sku) {}', 'sku'],
    ['async function * f(sku) {}', 'sku'],
    ['function/*(a)*/f/*(b)*/(/*c*/sku/*,d*/,// e, f(\n quantity) {}', 'sku, quantity'],
    ['sku => sku', 'sku'],
    ['async sku => sku', 'sku'],
    ['async (sku, quantity) => ({})', 'sku, quantity'],
    ['async => async', 'async'],
    ['(async) => async', 'async'],
    ['() => (a, b) => {}', ''],
    ['(größe, $el, _x, 名前) => 0', 'größe, $el, _x, 名前'],
    ['(of, get, set, async, let_, static_, from) => 0', 'of, get, set, async, let_, static_, from'],
  ])('%s', (text, expected) => {
    expect(signatureOf(make(text))).toBe(expected)
  })

  it('a function created from strings', () => {
    const made = Reflect.construct(Function, ['sku', 'quantity = ")"', 'return sku']) as object
    expect(signatureOf(made)).toBe('sku, quantity?:string')
  })

  test.each([
    ['add(sku) {}', 'sku'],
    ['async add(sku) {}', 'sku'],
    ['*add(sku) {}', 'sku'],
    ['async *add(sku) {}', 'sku'],
    ['async(sku) {}', 'sku'],
    ['get(sku) {}', 'sku'],
    ['set(sku) {}', 'sku'],
    ['static(sku) {}', 'sku'],
    ['function(sku) {}', 'sku'],
    ['class(sku) {}', 'sku'],
    ['class (sku) {}', 'sku'],
    ['class$(sku) {}', 'sku'],
    ['if(sku) {}', 'sku'],
    ['"add (it"(sku) {}', 'sku'],
    ["'[native code]'(sku) {}", 'sku'],
    ['12(sku) {}', 'sku'],
    ['["a" + (() => "(b")()](sku) {}', 'sku'],
    ['[/[)/]]/.source](sku) {}', 'sku'],
    ['[`a${`(${1})`}`](sku) {}', 'sku'],
    ['add(sku) { return "[native code]" }', 'sku'],
    ['add: sku => sku', 'sku'],
    ['add: function (sku) {}', 'sku'],
  ])('a method: %s', (text, expected) => {
    expect(signatureOf(makeMethod(text))).toBe(expected)
  })

  it('static methods, fields, generators and private methods of classes', () => {
    const C = make(
      'class A { static find(query) {} field = (item) => item; #own(secret) {} *walk(depth = 1) {} reach() { return this.#own } }',
    ) as new () => Record<string, () => object>
    expect(signatureOf((C as unknown as { find: object }).find)).toBe('query')
    expect(signatureOf(new C()['field']!)).toBe('item')
    expect(signatureOf(new C()['walk']!)).toBe('depth?:number')
    expect(signatureOf(new C()['reach']!())).toBe('secret')
  })
})

describe('defaults make a parameter optional and give its type', () => {
  test.each([
    ["'a'", 'string'],
    ['"a, b) {"', 'string'],
    ['`a, ${[1, `)`]} b`', 'string'],
    ['``', 'string'],
    ['1', 'number'],
    ['-1.5e3', 'number'],
    ['.5', 'number'],
    ['0xff', 'number'],
    ['1_000', 'number'],
    ['true', 'boolean'],
    ['!0', 'boolean'],
    ['[]', 'array'],
    ['[1, (2, 3)]', 'array'],
    ['{}', 'object'],
    ['{ a: [1, 2], b }', 'object'],
    ['1n', ''],
    ['-1n', ''],
    ['null', ''],
    ['undefined', ''],
    ['void 0', ''],
    ['/[,)("]/g', ''],
    ['/\\/,\\)/u', ''],
    ['/[\\]/,)]/', ''],
    ['new Map([[1, 2]])', ''],
    ['b => (c, d)', ''],
    ['function (a, b) { if (a) /[)]/.test(b); return a / b / 2 }', ''],
    ['class { m(x, y) {} }', ''],
    ['(1 + 2) / 3', ''],
    ['a.if(1) / 2', ''],
    ['a.return / 2', ''],
    ['[1] / 2', ''],
    ['1 / 2 / 3', ''],
    ['"a" + b', ''],
    ['typeof /,/', ''],
    ['b ? /,/ : {c, d}', ''],
    ['a >= b', ''],
    ['`a`.length', ''],
    ['tag`,${b}`', ''],
    ['b?.5:1', ''],
    ['b ??= c', ''],
    ['/* , */ 1 // , )\n', 'number'],
  ])('%s', (text, type) => {
    const expected = `first?${type && `:${type}`}, last`
    expect(signatureOf(make(`function (first = ${text}, last) { let a, b, c, d, tag }`))).toBe(
      expected,
    )
  })

  test.each([
    ['a rest', '(first, ...others) => 0', 'first, ...others:array'],
    ['a destructured rest', '(...[first, second]) => 0', '...-:array'],
    [
      'keys',
      '({ sku, quantity = 1, color: shade = "red", "data-x": x, 7: y }) => 0',
      '-:{7 sku quantity?:number color?:string data-x}',
    ],
    ['keys with a default', '({ sku } = {}) => 0', '-?:{sku}'],
    ['a rest of keys', '({ sku, ...others }) => 0', '-:{sku}'],
    [
      'keys in keys',
      '({ place: { city, zip = 1 } = {}, list: [a, b] }) => 0',
      '-:{place?:object list:array}',
    ],
    ['an array', '([a, b], c) => 0', '-:array, c'],
    [
      'a key that is called like a prototype',
      '({ __proto__: a, constructor: b }) => 0',
      '-:{__proto__ constructor}',
    ],
    ['no keys', '({}) => 0', '-:{}'],
  ])('%s', (_, text, expected) => {
    expect(signatureOf(make(text))).toBe(expected)
  })

  it('nested keys have their own schema', () => {
    const signature = readSignature(make('({ place: { city, zip = 1 } }) => 0'))
    expect(signature).toMatchObject({
      parameters: [
        { schema: { properties: { place: { required: ['city'], additionalProperties: false } } } },
      ],
    })
    expect(readSignature(make('({ a, ...others }) => 0'))).not.toMatchObject({
      parameters: [{ schema: { additionalProperties: false } }],
    })
  })
})

describe('unclear signatures are not guessed', () => {
  test.each([
    ['native', Math.max],
    ['bound', ((sku: string) => sku).bind(null)],
    ['a proxy', new Proxy((sku: string) => sku, {})],
    ['a native class', Map],
    ['computed keys', make('({ ["a" + 1]: b }) => 0')],
    ['keys with escapes', make('({ "\\u0061": b }) => 0')],
    ['an escaped name', make('(\\u0061bc) => 0')],
    ['the same name twice', make('function (a, a) {}')],
    ['a slash after a block', make('function (a = function () { {} /[)]/.test("") }, b) {}')],
    ['a slash after an increment', make('function (c, a = c++ / 2, b) {}')],
    ['an HTML comment', make('function (a = 1 <!-- , x)\n, b) {}')],
    ['brackets without end of depth', make(`(a = ${'['.repeat(200)}${']'.repeat(200)}) => 0`)],
  ])('%s', (_, fn) => {
    expect(signatureOf(fn)).toBe('unreadable')
  })

  test.each([
    ['class A { constructor(a) {} }'],
    ['class { m(a) {} }'],
    ['class{}'],
    ['class/**/A extends Object {}'],
  ])('%s is recognised as a class', (text) => {
    expect(signatureOf(make(text))).toBe('class')
  })

  it('a proxy is never touched', () => {
    const trap = (): never => {
      throw new Error('asked')
    }
    const traps = Object.fromEntries(
      Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]),
    )
    expect(signatureOf(new Proxy(() => 0, traps))).toBe('unreadable')
  })

  it('reading any text never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('(){}[]`$,=>/*\\"\'.a1 \n')) }),
        (text) => {
          readHead(text)
        },
      ),
      { numRuns: someOf(5000) },
    )
  })
})

// Parameter lists at random, written as text and read back.
const SPACES = ['', ' ', '\n', '/* a, (b) */', '// c) = [\n', '\t/**/']
const DEFAULTS: readonly (readonly [string, string])[] = [
  ['1', 'number'],
  ['-2', 'number'],
  ['"a,)\\"("', 'string'],
  ["'b`}'", 'string'],
  ['`c${`,${")"}`}(`', 'string'],
  ['!1', 'boolean'],
  ['false', 'boolean'],
  ['[1, [2], "]"]', 'array'],
  ['{ a: 1, b() { return 2 / 1 }, c: /[}]/ }', 'object'],
  ['/[/,)]+\\/\\(/.source', ''],
  ['((p, q) => ({ p, q }))', ''],
  ['async function* (p = "x", { q } = {}) { for (const r of []) yield r }', ''],
  ['class { #p = 1; q(r, s) { return this.#p / r } }', ''],
  ['(1, 2)', ''],
  ['null', ''],
]
const space = fc.constantFrom(...SPACES)
const identifier = fc
  .tuple(fc.constantFrom('sku', 'größe', '$', '_a', 'of', 'target', '名前', 'async'), fc.nat(99))
  .map(([word, number]) => `${word}${number}`)

interface Written {
  readonly text: string
  readonly read: string
}
const simple = (name: string): fc.Arbitrary<Written> =>
  fc.oneof(
    space.map((gap) => ({ text: `${gap}${name}${gap}`, read: name })),
    fc.tuple(space, fc.constantFrom(...DEFAULTS), space).map(([before, [value, type], after]) => ({
      text: `${before}${name}${after}=${before}${value}${after}`,
      read: `${name}?${type && `:${type}`}`,
    })),
  )
const names = fc.uniqueArray(identifier, { maxLength: 6 })
const parameterList = names.chain((given) => fc.tuple(...given.map(simple)))
const destructured = parameterList.map((keys) => ({
  text: `{${keys.map(({ text }) => text).join(',')}}`,
  read: `-:{${keys.map(({ read }) => read).join(' ')}}`,
}))
const shapes: readonly ((list: string) => object)[] = [
  (list) => make(`function f(${list}) { return "(" }`),
  (list) => make(`async function (${list}) {}`),
  (list) => make(`function* g (${list}) {}`),
  (list) => make(`(${list}) => [")"]`),
  (list) => make(`async (${list}) => 0`),
  (list) => makeMethod(`add(${list}) {}`),
  (list) => makeMethod(`async *"a(b"(${list}) {}`),
  (list) => makeMethod(`[\`(\${1}\`](${list}) {}`),
]

test('any parameter list is read correctly in every form of function', () => {
  const rest = fc.option(identifier.map((name) => `rest${name}`))
  fc.assert(
    fc.property(
      fc.oneof(
        parameterList,
        destructured.map((one) => [one]),
      ),
      rest,
      fc.constantFrom(...shapes),
      (list, others, shape) => {
        const text = [...list.map((one) => one.text), ...(others ? [`...${others}`] : [])]
        const read = [...list.map((one) => one.read), ...(others ? [`...${others}:array`] : [])]
        expect(signatureOf(shape(text.join(',')))).toBe(read.join(', '))
      },
    ),
    { numRuns: someOf(2000) },
  )
})
