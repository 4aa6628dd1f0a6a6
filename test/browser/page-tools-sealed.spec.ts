import { expect, property, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Which inputs of page tools go into masked fields, and are sealed.

const EXPOSE = `import { pageTools } from '/dist/page-tools.js'
const info = { runId: 'r', conversationId: 'c', toolCallId: 't' }
const tools = pageTools({ mask: ['.iban'] })
window.secretsIn = (name, input) => tools.find((tool) => tool.name === name).secretsIn(input, info)
document.documentElement.dataset.lent = ''`

interface Lent {
  readonly secretsIn: (name: string, input: object) => Promise<readonly string[]>
}

const BODY = `<script type="module" src="/sealed.js"></script>
<label>Name <input name="name"></label>
<label>Password <input type="password"></label>
<label>Account <input class="iban"></label>
<label>Expires <select autocomplete="cc-exp-month"><option>01<option>02</select></label>
<label>Colour <select><option>red</select></label>
<div data-offstage-mask><label>Notes <textarea></textarea></label></div>`

const CASES: readonly [string, string, object, readonly string[]][] = [
  ['an open field', 'type_text', { ref: 'Name', text: 'Ada' }, []],
  ['a password', 'type_text', { ref: 'Password', text: 'x' }, ['/text']],
  ['a field that the host masks', 'type_text', { ref: 'Account', text: 'x' }, ['/text']],
  ['a field in a part that the page masks', 'type_text', { ref: 'Notes', text: 'x' }, ['/text']],
  ['a field that is not there', 'type_text', { ref: 'Nowhere', text: 'x' }, ['/text']],
  ['a ref that is none any more', 'type_text', { ref: 'e999', text: 'x' }, ['/text']],
  [
    'some fields of a form',
    'fill_form',
    {
      fields: [
        { ref: 'Name', value: 'Ada' },
        { ref: 'Password', value: 'x' },
        { ref: 'Expires', value: '02' },
      ],
    },
    ['/fields/1/value', '/fields/2/value'],
  ],
  ['a choice', 'select_option', { ref: 'Colour', options: ['red'] }, []],
  ['a masked choice', 'select_option', { ref: 'Expires', options: ['02'] }, ['/options']],
  ['a character', 'press_key', { key: '7', ref: 'Password' }, ['/key']],
  ['a character in an open field', 'press_key', { key: '7', ref: 'Name' }, []],
  ['a space, which activates, too', 'press_key', { key: ' ', ref: 'Password' }, []],
  ['a key that writes nothing', 'press_key', { key: 'Enter', ref: 'Password' }, []],
]

test.beforeEach(({ site }) => site.add('/sealed.js', { body: EXPOSE }))

test('text for a masked field is secret, and no other text is', async ({ openPage }) => {
  const page = await openPage({ body: BODY })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  for (const [what, name, input, expected] of CASES) {
    const found = await page.evaluate(
      ([tool, given]) => (window as unknown as Lent).secretsIn(tool, given),
      [name, input] as const,
    )
    expect(found, what).toEqual(expected)
  }
  // Asking changes nothing.
  expect(await property(page, 'input[type=password]', 'value')).toBe('')
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)
})

test(
  'a character key goes to the focused field if no other is named',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: BODY })
    await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
    const pressed = (selector: string): Promise<readonly string[]> =>
      page.evaluate((css) => {
        document.querySelector<HTMLElement>(css)?.focus()
        return (window as unknown as Lent).secretsIn('press_key', { key: '7' })
      }, selector)
    expect(await pressed('[name=name]')).toEqual([])
    expect(await pressed('[type=password]')).toEqual(['/key'])
  },
)
