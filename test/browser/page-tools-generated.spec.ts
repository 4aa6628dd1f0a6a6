import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE, eachNth } from './support/more.ts'

// Words that a style writes into the page count into names where people see them.

const ICON = 'font-family: icons'

const NAMED: readonly (readonly [what: string, style: string, body: string, name: string])[] = [
  ['all of a name', '.x::before { content: "Pay now" }', '<button class=x></button>', 'Pay now'],
  [
    'all of a name, beside an icon',
    '.x::after { content: "Pay now" }',
    '<button class=x><svg width=9 height=9></svg></button>',
    'Pay now',
  ],
  ['a part before', '.x::before { content: "Pay " }', '<button class=x>now</button>', 'Pay now'],
  ['a part after', '.x::after { content: " now" }', '<button class=x>Pay</button>', 'Pay now'],
  ['a part of a word', '.x::before { content: "P" }', '<button class=x>ay now</button>', 'Pay now'],
  [
    'a part of a word, in an element',
    'b::after { content: "ay" }',
    '<button><b>P</b> <i>now</i></button>',
    'Pay now',
  ],
  [
    'a part that stands apart',
    '.x::before { content: "New"; margin-right: 4px }',
    '<button class=x>Item</button>',
    'New Item',
  ],
  [
    'an attribute',
    '.x::before { content: attr(data-words) }',
    '<button class=x data-words="Pay now"></button>',
    'Pay now',
  ],
  [
    'escapes',
    '.x::before { content: "Pay \\"n\\6f w\\"" }',
    '<button class=x></button>',
    'Pay \\"now\\"',
  ],
  [
    'the words for a picture',
    '.x::before { content: url("data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\'/>") / "Pay now" }',
    '<button class=x></button>',
    'Pay now',
  ],
  [
    'a label',
    '.x::after { content: "(in euros)" }',
    '<label class=x>Sum <input></label>',
    'Sum (in euros)',
  ],
  [
    'what another element is named by',
    '#l::before { content: "Total" }',
    '<span id=l></span><button aria-labelledby=l>1</button>',
    'Total',
  ],
  ['a link', '.x::before { content: "Home" }', '<a class=x href="#x"></a>', 'Home'],
  ['a heading', '.x::before { content: "1.2 " }', '<h2 class=x>Tides</h2>', '1.2 Tides'],
]

for (const [at, [what, style, body, name]] of NAMED.entries())
  test(`generated CSS content provides ${what}`, eachNth(12, at), async ({ openPage }) => {
    const page = await openPage({ body: `<style>${style}</style>${body}` })
    const { call } = await drive(page)
    expect(await call('read_page')).toContain(`"${name}"`)
    const plain = name.replaceAll('\\', '')
    expect(await call('find', { name: plain })).toContain(`"${name}"`)
  })

const RULE = '.x::before { content: "Pay" }'

/** Where a rule may stand, beside a sheet of the page: `find` must look in all places. */
const PLACES: readonly (readonly [where: string, body: string])[] = [
  ['in a condition in a layer', `<style>@layer a { @media all { ${RULE} } }</style>`],
  ['in another rule', '<style>body { .x { &::before { content: "Pay" } } }</style>'],
  ['in an imported sheet', `<style>@import 'data:text/css,${encodeURIComponent(RULE)}';</style>`],
  [
    'with a variable',
    '<style>:root { --words: "Pay" } .x::before { content: var(--words) }</style>',
  ],
  [
    'in an animation',
    '<style>@keyframes a { from, to { content: "Pay" } } .x::before { content: ""; animation: a 1s infinite }</style>',
  ],
  [
    'in an adopted sheet',
    `<script>const sheet = new CSSStyleSheet(); sheet.replaceSync('${RULE}'); document.adoptedStyleSheets = [sheet]</script>`,
  ],
]

for (const [at, [where, body]] of PLACES.entries())
  test(
    `a button is found by generated text from a rule ${where}`,
    eachNth(4, at),
    async ({ openPage }) => {
      const page = await openPage({ body: `${body}<button class=x>now</button>` })
      const isStyled = () =>
        getComputedStyle(document.querySelector('.x') as Element, '::before').content.includes(
          'Pay',
        )
      await expect.poll(() => page.evaluate(isStyled)).toBe(true)
      const { call } = await drive(page)
      expect(await call('find', { name: 'Pay' })).toMatch(/button "Pay ?now"/)
    },
  )

test(
  "a slotted button is found by generated text from its component's style",
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<x-bar><button><span>now</span></button></x-bar><script>
      document.querySelector('x-bar').attachShadow({ mode: 'closed' }).innerHTML =
        '<style>::slotted(button)::before { content: "Pay " }</style><slot></slot>'
    </script>`,
    })
    const { call } = await drive(page)
    expect(await call('find', { name: 'Pay' })).toContain('button "Pay now"')
  },
)

const UNNAMED: readonly (readonly [what: string, style: string])[] = [
  ['of no display', 'content: "Words"; display: none'],
  ['that is hidden', 'content: "Words"; visibility: hidden'],
  ['without opacity', 'content: "Words"; opacity: 0'],
  ['without a size', 'content: "Words"; font-size: 0'],
  ['without a colour', 'content: "Words"; color: transparent'],
  ['scaled to nothing', 'content: "Words"; display: block; transform: scale(0)'],
  ['far outside', 'content: "Words"; position: absolute; left: -9999px'],
  [
    'clipped to nothing',
    'content: "Words"; position: absolute; width: 1px; height: 1px; overflow: hidden',
  ],
  ['of an icon', `content: "\\f00c"; ${ICON}`],
  ['of a letter of an icon font', `content: "w"; ${ICON}`],
  ['of an arrow', 'content: "→"'],
  ['of a star', 'content: " *"'],
  ['of a picture without words', 'content: url("data:,") / ""'],
  ['of a counter', 'content: counter(steps) "."'],
]

for (const [at, [what, style]] of UNNAMED.entries())
  test(`a name leaves out generated text ${what}`, eachNth(12, at), async ({ openPage }) => {
    const page = await openPage({
      body: `<style>.x::before { ${style} } .x::after { ${style} }</style><button class=x>Go</button><button class=x></button>`,
    })
    const { call } = await drive(page)
    const text = await call('read_page')
    expect(text).toContain('button "Go" [ref=')
    expect(text).toMatch(/button \[ref=/)
  })

test('a clickable div is found by its generated text', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.x::before { content: "Show all" }</style><div class=x onclick="this.dataset.done = 1" style="cursor: pointer"></div>`,
  })
  const { call } = await drive(page)
  expect(await call('read_page')).toContain('generic [clickable] [ref=e1]: Show all')
  expect(await call('click', { ref: 'Show all' })).toContain('Clicked')
})
