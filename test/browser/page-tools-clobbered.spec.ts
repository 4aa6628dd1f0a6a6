import { MORE } from '../../scripts/lib/more.mjs'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, property, test } from './support/driven.ts'

// Elements with a name hide the document's own properties of that name: content of others must not make page tools fail.

const HOST = `
import { pageTools } from '/dist/page-tools.js'
const tools = new Map(pageTools({ deny: ['.denied'], mask: ['.masked'] }).map((tool) => [tool.name, tool]))
const info = { runId: 'run', conversationId: 'talk', toolCallId: 'call' }
const context = () => ({ ...info, idempotencyKey: 'key', fence: 1, signal: new AbortController().signal, progress() {} })
const plain = (text) =>
  String(text).replace(/ref=e\\d+/g, 'ref').replace(/Snapshot s\\d+/g, 'Snapshot').replace(/page [\\w-]{8}>/g, 'page>')
    // Whether a style changed in the meantime depends on when it is looked.
    .replace(/Nothing (?:changed|that can be read)[^]*$/, 'Nothing')
const act = (name, input) =>
  (async () => tools.get(name).execute(input, context()))().then(plain, (error) => plain(error.code + ': ' + error.message))
const about = (name, input) =>
  (async () => tools.get(name).describe(input, info))().then(({ text }) => plain(text), (error) => plain(error.code + ': ' + error.message))
const CALLS = [
  ['read_page', {}],
  ['click', { ref: 'Go' }],
  ['click', { ref: 'Shop' }],
  ['hover', { ref: 'Go' }],
  ['type_text', { ref: 'Name', text: 'Ada' }],
  ['type_text', { ref: 'Note', text: 'a b' }],
  ['press_key', { ref: 'Name', key: 'Tab' }],
  ['press_key', { ref: 'Go', key: 'Enter' }],
  ['press_key', { key: 'PageDown' }],
  ['select_option', { ref: 'Size', options: ['L'] }],
  ['set_checked', { ref: 'Gift', checked: true }],
  ['drag', { ref: 'Go', x: 1 }],
  ['scroll', { direction: 'down' }],
  ['wait_for', { text: 'Welcome' }],
  ['highlight', { ref: 'Go' }],
  ['read_selection', {}],
  ['find', { text: 'SECRET' }],
  ['find', { text: 'Faint' }],
  ['navigate', { url: 'https://other.example/' }],
]
const part = document.getElementById('part')
const hiding = document.getElementById('hiding')
window.outcomes = async (elements) => {
  hiding.innerHTML = ''
  part.innerHTML = window.content
  for (const { tag, name } of elements) {
    const element = window.create(tag)
    element.setAttribute('name', name)
    hiding.append(element)
  }
  const outcomes = []
  for (const [name, input] of CALLS) outcomes.push(name + ': ' + (await about(name, input).catch(() => '')), await act(name, input))
  hiding.innerHTML = ''
  return outcomes
}
document.documentElement.dataset.host = ''
`

const BODY = `<div id=hiding hidden></div><div id=part></div><script>
window.create = document.createElement.bind(document)
window.content = \`<h1>Welcome</h1><form onsubmit="return false"><input aria-label=Name><label><input type=checkbox>Gift</label>
  <select aria-label=Size><option>M<option>L</select><input type=hidden name=id value=1><button type=button onclick="this.title='pressed'">Go</button></form>
  <div contenteditable role=textbox aria-label=Note></div><a href="#shop">Shop</a>
  <p style="color:transparent">Faint</p><p class=masked>SECRET 1</p><p class=denied>SECRET 2</p>
  <input type=password aria-label=Password value="hunter2-of-ada"><p>You typed hunter2-of-ada</p>\`
</script><script type="module" src="/clobbered-host.js"></script>`

interface Hosted {
  readonly outcomes: (
    elements: readonly { readonly tag: string; readonly name: string }[],
  ) => Promise<readonly string[]>
}

const outcomesWith = (page: DrivenPage, tag: string | null): Promise<readonly string[]> =>
  page.evaluate((given) => {
    const names = [Document, HTMLDocument, Node, EventTarget].flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype),
    )
    const elements = given ? names.map((name) => ({ tag: given, name })) : []
    return (window as unknown as Hosted).outcomes(elements)
  }, tag)

test('elements named like document properties change nothing', async ({ openPage, site }) => {
  site.add('/clobbered-host.js', { body: HOST })
  const page = await openPage({ body: BODY, errorsAllowed: true })
  await expect(async () =>
    expect(await property(page, 'html[data-host]', 'tagName')).toBe('HTML'),
  ).toPass()
  const usual = await outcomesWith(page, null)
  expect(usual.join('\n')).toContain('[hidden: transparent]: Faint')
  expect(usual.filter((line) => /SECRET|hunter2|^undefined/.test(line))).toEqual([])
  // Once more, as the first round moved the focus and what is scrolled.
  const again = await outcomesWith(page, null)
  for (const tag of MORE ? ['img', 'form'] : ['img'])
    expect(await outcomesWith(page, tag)).toEqual(again)
})
