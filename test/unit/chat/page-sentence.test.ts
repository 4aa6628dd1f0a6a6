import { beforeAll, describe, expect, test } from 'vitest'
import { withoutRefs } from '../../../src/ui/chat/parts/page-call.ts'
import { loadSentences, pageSentence } from '../../../src/ui/chat/parts/page-sentence.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import type { JsonValue, PendingCall, ShownCall, ToolOutput } from '../../../src/index.ts'
import { pageTools } from '../../../src/page-tools/index.ts'

beforeAll(loadSentences)

/** A call as a built-in tool has it, about elements of these names. */
function asked(toolName: string, input: JsonValue, ...names: string[]): PendingCall {
  const uses = names.map((name) => ({ role: 'button', name }))
  return {
    toolCallId: 't1',
    toolName,
    title: pageTools().find(({ name }) => name === toolName)?.title ?? '',
    input,
    kind: 'approval',
    about: {
      text: 'a button',
      data: { load: 'l', uses },
      pageId: 'p',
    } as PendingCall['about'] & {},
  }
}

function ran(toolName: string, input: JsonValue, output: ToolOutput): ShownCall {
  const { title = '' } = asked(toolName, input)
  return {
    conversationId: 'c1',
    toolCallId: 't1',
    toolName,
    title,
    status: 'succeeded',
    input,
    output,
    path: ['t1'],
  }
}

test.each<[string, JsonValue, string[], string]>([
  ['click', { ref: 'e1' }, ['Save'], 'Click "Save"'],
  ['click', { ref: 'e1', kind: 'double' }, ['Save'], 'Double-click "Save"'],
  ['click', { ref: 'e1', kind: 'right' }, [''], 'Right-click button'],
  ['type_text', { ref: 'e1', text: 'Ada' }, ['Name'], 'Type "Ada" into "Name"'],
  [
    'type_text',
    { ref: 'e1', text: 'Ada', mode: 'append', enter: true },
    ['Name'],
    'Add "Ada" to "Name", then press Enter',
  ],
  [
    'fill_form',
    {
      fields: [
        { ref: 'e1', value: 'Ada' },
        { ref: 'e2', value: true },
      ],
    },
    ['Name', 'Terms'],
    'Fill in "Name": "Ada"; "Terms": true',
  ],
  [
    'select_option',
    { ref: 'e1', options: ['Red', 'Blue'] },
    ['Colour'],
    'Choose "Red", "Blue" in "Colour"',
  ],
  ['set_checked', { ref: 'e1', checked: false }, ['Terms'], 'Uncheck "Terms"'],
  ['press_key', { key: 'Escape' }, [], 'Press Escape'],
  ['press_key', { key: 'Tab', ref: 'e1', times: 3 }, ['Name'], 'Press Tab on "Name", 3 times'],
  ['drag', { ref: 'e1', to: 'e2' }, ['A', 'B'], 'Drag "A" onto "B"'],
  ['drag', { ref: 'e1', x: 5 }, ['A'], 'Drag "A" by 5, 0 pixels'],
  ['navigate', { url: '/offers' }, [], 'Go to /offers'],
  ['find', { role: 'button', name: 'Buy' }, [], 'Find button "Buy" on the page'],
  ['wait_for', { text: 'Done', gone: true }, [], 'Wait until "Done" is gone'],
])('%s %j gets a complete sentence', (toolName, input, names, text) => {
  expect(pageSentence(asked(toolName, input, ...names), en)).toEqual({ text, isWhole: true })
})

describe('a sentence is incomplete', () => {
  test('when the input has more or unexpected values', () => {
    expect(pageSentence(asked('click', { ref: 'e1', force: true }, 'Save'), en)).toEqual({
      text: 'Click "Save"',
      isWhole: false,
    })
    expect(pageSentence(asked('type_text', { ref: 'e1', text: 7 }, 'Name'), en)).toBeNull()
    expect(pageSentence(asked('fill_form', { fields: [{}] }, 'Name'), en)).toBeNull()
  })

  test('when it is cut', () => {
    const long = pageSentence(asked('type_text', { ref: 'e1', text: 'a'.repeat(500) }, 'Note'), en)
    expect(long?.isWhole).toBe(false)
    expect(long?.text.length).toBeLessThan(200)
  })

  test("when it is the tool's own report", () => {
    const output = { type: 'text', value: 'Clicked button "Save" [ref=e15].\nChanges: …' } as const
    expect(pageSentence(ran('click', { ref: 'e1' }, output), en)).toEqual({
      text: 'Clicked button "Save".',
      isWhole: false,
    })
  })
})

test.each([
  [
    'Typed in textbox "Full name" [required] [ref=e7].',
    'Typed in textbox "Full name" [required] and 2 more',
  ],
  ['Chose "Red" in combobox "Colour" [ref=e7].', 'Chose "Red" in combobox "Colour" and 2 more'],
  ['Typed in textbox [ref=e7].', 'Typed in textbox and 2 more'],
])('a form filled without approval shows its number of fields: %s', (line, text) => {
  const fields = ['e7', 'e8', 'e9'].map((ref) => ({ ref, value: 'Red' }))
  const value = `${line}\nTyped in textbox "Town" [ref=e8].`
  const call = ran('fill_form', { fields }, { type: 'text', value })
  expect(pageSentence(call, en)).toEqual({ text, isWhole: false })
})

test('refs are removed from texts of page tools, but not of other tools', () => {
  const text = '- button "Save" [disabled] [ref=e3]\n- link "Home" [ref=e12]'
  expect(withoutRefs({}, text)).toBe('- button "Save" [disabled]\n- link "Home"')
  expect(withoutRefs({ source: 'mcp.test' }, text)).toBe(text)
})

test('element names from a page take one line and show hidden characters', () => {
  const { text = '' } =
    pageSentence(asked('click', { ref: 'e1' }, 'Sa\u202eve\nApproved'), en) ?? {}
  expect(text).toContain('⟨U+202E⟩')
  expect(text).not.toContain('\n')
})

test.each<[string, Partial<PendingCall>]>([
  ['of another title', { title: 'Click the bell' }],
  ['of a server', { source: 'mcp.test' }],
  ['of another name', { toolName: 'constructor' }],
])('a tool of the app %s has no sentence', (_, change) => {
  expect(pageSentence({ ...asked('click', { ref: 'e1' }, 'Save'), ...change }, en)).toBeNull()
})
