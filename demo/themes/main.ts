import 'offstage/chat'
import { createAgent, defineTool } from 'offstage'
import graphite from 'offstage/themes/graphite.css?raw'
import paper from 'offstage/themes/paper.css?raw'
import violet from 'offstage/themes/violet.css?raw'
import guide from '../../docs/theming.md?raw'
import { byId, el } from '../lib/dom.ts'
import { createDemoWorker } from '../worker/demo-worker.ts'
import { ANSWER } from './answer.ts'

type Values = ReadonlyMap<string, string>

const THEMES = { none: '', graphite, paper, violet }
const SIDES = ['auto', 'light', 'dark'] as const
/** Names and meanings of the variables, as the guide has them. */
const VARIABLES = [...guide.matchAll(/^\| `--offstage-([a-z-]+)`\s*\| (.+?)\s*\|$/gm)].map(
  ([, name = '', meaning = '']) => ({ name, meaning }),
)

const chat = byId('chat', HTMLElement) as HTMLElementTagNameMap['offstage-chat']
const sheet = new CSSStyleSheet()
document.adoptedStyleSheets.push(sheet)
let theme: keyof typeof THEMES = 'none'
const customValues = new Map<string, string>()

function valuesIn(css: string): Values {
  return new Map(
    [...css.matchAll(/--offstage-([a-z-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

/** Values of the element's own styles, where the page sets none. */
function defaults(): Values {
  const sheets = chat.shadowRoot?.adoptedStyleSheets ?? []
  const css = sheets.flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join('')
  return new Map(
    [...css.matchAll(/var\(--offstage-([a-z-]+),\s*((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
}

function showCss(): void {
  const values = new Map([...valuesIn(THEMES[theme]), ...customValues])
  const lines = [...values].map(([name, value]) => `  --offstage-${name}: ${value};\n`)
  const css = values.size === 0 ? '' : `:root {\n${lines.join('')}}\n`
  sheet.replaceSync(css)
  byId('css', HTMLPreElement).textContent = css || '/* The defaults. */\n'
}

function showVariables(): void {
  const values = new Map([...defaults(), ...valuesIn(THEMES[theme]), ...customValues])
  byId('variables', HTMLFormElement).replaceChildren(
    ...VARIABLES.map(({ name, meaning }) =>
      el(
        'div',
        { class: 'variable' },
        el('span', {}, name, el('small', {}, meaning)),
        ...controls(name, values.get(name) ?? ''),
      ),
    ),
  )
}

/** A colour has one control for light and one for dark. */
function controls(name: string, value: string): readonly HTMLInputElement[] {
  const colors = /^light-dark\(\s*([^,]+),\s*([^)]+)\)$/.exec(value)?.slice(1).map(hexOf)
  if (!colors || colors.includes(undefined)) {
    const field = el('input', { type: 'text', 'aria-label': name, value })
    field.addEventListener('input', () => setValue(name, field.value))
    return [field]
  }
  const fields = ['light', 'dark'].map((side, at) =>
    el('input', { type: 'color', 'aria-label': `${name}, ${side}`, value: colors[at] ?? '' }),
  )
  const choose = (): void =>
    setValue(name, `light-dark(${fields.map((field) => field.value).join(', ')})`)
  for (const field of fields) field.addEventListener('input', choose)
  return fields
}

/** `#rrggbb`, as a control for colours has it. */
function hexOf(color: string): string | undefined {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)?$/.exec(color)?.slice(1)
  const hex = parts?.map((part) => Number(part).toString(16).padStart(2, '0')).join('')
  return hex ? `#${hex}` : /^#[\da-f]{6}$/i.exec(color)?.[0]
}

function setValue(name: string, value: string): void {
  if (value.trim() === '') customValues.delete(name)
  else customValues.set(name, value)
  showCss()
}

/** Buttons of which one is pressed. */
function createChoices<Name extends string>(
  id: string,
  names: readonly Name[],
  choose: (name: Name) => void,
): void {
  const buttons = names.map((name, at) =>
    el('button', { type: 'button', 'aria-pressed': at === 0 }, name),
  )
  for (const [at, button] of buttons.entries())
    button.addEventListener('click', () => {
      for (const each of buttons) each.setAttribute('aria-pressed', `${each === button}`)
      const name = names[at]
      if (name !== undefined) choose(name)
    })
  byId(id, HTMLElement).replaceChildren(...buttons)
}

createChoices('themes', ['none', 'graphite', 'paper', 'violet'], (name) => {
  theme = name
  customValues.clear()
  showCss()
  showVariables()
})
createChoices('sides', SIDES, (side) => {
  chat.theme = side
})
showCss()

const agent = createAgent({
  model: { provider: 'scripted', model: 'none', script: { steps: [ANSWER] } },
  worker: createDemoWorker().make,
  storage: 'memory',
  tools: [
    defineTool({
      name: 'order',
      title: 'Place the order',
      description: 'Orders.',
      needsApproval: true,
      inputSchema: {
        type: 'object',
        properties: {
          sku: { type: 'string', title: 'Product' },
          count: { type: 'integer', minimum: 1, maximum: 9 },
          wrapping: { type: 'string', enum: ['none', 'paper', 'box'] },
        },
        required: ['sku', 'count'],
      },
      execute: () => 'Ordered.',
    }),
  ],
})
chat.agent = agent
chat.send('Show me what you have, and order a mug')
showVariables()
// Colours of code come with the first block of code.
const timer = setInterval(() => {
  if (!defaults().has('code-name')) return
  clearInterval(timer)
  showVariables()
}, 200)
