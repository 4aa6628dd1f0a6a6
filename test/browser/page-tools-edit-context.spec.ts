import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// An editor that draws itself what the browser says was typed, with its own keys, as Monaco does.

const EDITOR = `<div id="editor" role="textbox" aria-label="Code" tabindex="0" style="width: 300px; height: 60px"></div>
  <script>
    const editor = document.querySelector('#editor')
    let [text, start, end] = ['let a = 1', 9, 9]
    const draw = () => { context.updateText(0, context.text.length, text); context.updateSelection(start, end) }
    const replace = (from, to, by) => { text = text.slice(0, from) + by + text.slice(to); start = end = from + by.length; draw() }
    if ('EditContext' in window) {
      window.context = editor.editContext = new EditContext()
      context.addEventListener('textupdate', (event) => replace(event.updateRangeStart, event.updateRangeEnd, event.text))
      editor.addEventListener('beforeinput', (event) => { if (event.inputType === 'insertParagraph') replace(start, end, '\\n') })
      editor.addEventListener('keydown', (event) => {
        if (event.ctrlKey && event.key === 'a') [start, end] = [0, text.length]
        else if (event.ctrlKey && event.key === 'End') start = end = text.length
        else if (event.key === 'Home') start = end = 0
        else return
        event.preventDefault()
        draw()
      })
      draw()
    }
  </script>`

test(
  'an editor with an EditContext takes text, line breaks and keys',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: EDITOR })
    test.skip(
      !(await page.evaluate(() => 'EditContext' in window)),
      'This browser has no EditContext.',
    )
    const { call } = await drive(page)
    const text = () =>
      page.evaluate(() => (window as unknown as { context: { text: string } }).context.text)
    const typed = await call('type_text', { ref: 'Code', text: ';\nlet b', mode: 'append' })
    expect(typed).toMatch(/^Typed in textbox "Code".*What it holds can't be read here\./)
    expect(await text()).toBe('let a = 1;\nlet b')
    await call('press_key', { ref: 'Code', key: 'Backspace' })
    await call('press_key', { ref: 'Code', key: 'Home' })
    await call('press_key', { ref: 'Code', key: 'Delete' })
    await call('press_key', { ref: 'Code', key: 'x' })
    expect(await text()).toBe('xet a = 1;\nlet ')
    const long = 'z'.repeat(200)
    await call('type_text', { ref: 'Code', text: long })
    expect(await text()).toBe(long)
    await call('type_text', { ref: 'Code', text: '' })
    expect(await text()).toBe('')
    expect(
      await call('type_text', { ref: 'Code', text: 'q', replace: { from: 0, to: 0 } }),
    ).toMatch(/^unsupported: .*only be selected by keys/)
  },
)

test(
  'a form with a field named editContext is not treated as an editor',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<form role="form" aria-label="Order" tabindex="0" onkeydown="heard = event.key"><input name="editContext" aria-label="Note" value="ab"></form>`,
    })
    const { call } = await drive(page)
    for (const key of ['x', 'Delete'])
      expect(await call('press_key', { ref: 'Order', key })).toMatch(/^Pressed /)
    expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toBe('Delete')
  },
)
