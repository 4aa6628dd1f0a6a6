import { MORE } from './support/more.ts'
import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'

// Checks behaviour that differs between browsers, or that browsers only have for real users. Each page logs the events
// that it gets; the outcome is read from the page.

const LOG = '<script>var log = []</script>'

function heard(page: DrivenPage): Promise<unknown[]> {
  return page.evaluate(() => (window as unknown as { log: unknown[] }).log.splice(0))
}

test(
  'keys and clicks take effect once, whatever the browser does by itself',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `${LOG}<form onsubmit="event.preventDefault(); log.push('sent')"><input aria-label="Field"><button>Send</button></form>
    <a href="#there" onclick="log.push('link')">Link</a><button onclick="log.push('button')">Button</button>
    <details ontoggle="log.push(open)"><summary>More</summary>Words</details>
    <select multiple aria-label="List" oninput="log.push(value)"><option>a<option>b</select>
    <input type="range" aria-label="Range" value="50" oninput="log.push(value)">
    <div role="button" tabindex="0" onkeydown="if (event.key === 'Enter') { event.preventDefault(); log.push(event.defaultPrevented) }">Own</div>`,
    })
    const { call } = await drive(page)
    const press = async (ref: string, key = 'Enter') => {
      await call('press_key', { ref, key })
      return heard(page)
    }
    expect(await press('Field')).toEqual(['sent'])
    expect(await press('Link')).toEqual(['link'])
    expect(await press('Button')).toEqual(['button'])
    expect(await press('Button', 'Space')).toEqual(['button'])
    expect(await press('More')).toEqual([true])
    expect(await press('Own')).toEqual([true])
    await call('click', { ref: 'List' })
    await call('click', { ref: 'Range' })
    expect(await heard(page)).toEqual([])
    expect(await property(page, '[aria-label=Range]', 'value')).toBe('50')
  },
)

test('an element that captures the pointer gets all its moves', async ({ openPage }) => {
  const page = await openPage({
    body: `${LOG}<div id="knob" role="button" tabindex="0" aria-label="Knob" style="position: absolute; left: 40px; top: 40px; width: 20px; height: 20px; background: #888"></div>
    <script>
      let start = 0
      knob.onpointerdown = (event) => { knob.setPointerCapture(event.pointerId); start = event.clientX }
      knob.onpointermove = (event) => { if (knob.hasPointerCapture(event.pointerId)) knob.style.left = 40 + event.clientX - start + 'px' }
      knob.ongotpointercapture = knob.onlostpointercapture = knob.onpointerup = ({ type }) => log.push(type)
    </script>`,
  })
  const native = () => page.evaluate(() => String(Element.prototype.setPointerCapture))
  const before = await native()
  const { call } = await drive(page)
  await call('drag', { ref: 'Knob', x: 120, y: 60 })
  expect(await page.evaluate(() => document.querySelector<HTMLElement>('#knob')?.style.left)).toBe(
    '160px',
  )
  expect(await heard(page)).toEqual(['gotpointercapture', 'pointerup', 'lostpointercapture'])
  expect(await native()).toBe(before)
})

test('a drag carries its data and the effect agreed by both sides', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `${LOG}<ul><li draggable="true" id="card">Card</li></ul><div role="group" aria-label="Takes" id="takes" style="height: 60px"></div><div role="group" aria-label="Copies" id="copies" style="height: 60px"></div>
    <script>
      card.ondragstart = ({ dataTransfer }) => { dataTransfer.setData('text/plain', 'load'); dataTransfer.effectAllowed = 'move' }
      card.ondragend = ({ dataTransfer }) => log.push('end ' + dataTransfer.dropEffect)
      const accept = (effect) => (event) => { event.preventDefault(); event.dataTransfer.dropEffect = effect }
      takes.ondragover = accept('move'); copies.ondragover = accept('copy')
      takes.ondrop = copies.ondrop = ({ dataTransfer }) => log.push('drop ' + dataTransfer.getData('text/plain') + ' ' + dataTransfer.dropEffect)
    </script>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  const refOf = (name: string) =>
    new RegExp(`(?:${name}".*?|: ${name}.*?)\\[ref=(e\\d+)\\]`).exec(outline)?.[1]
  const card = /ref=(e\d+)/.exec(await call('find', { text: 'Card' }))?.[1]
  await call('drag', { ref: card, to: refOf('Takes') })
  expect(await heard(page)).toEqual(['drop load move', 'end move'])
  await call('drag', { ref: card, to: refOf('Copies') })
  expect(await heard(page)).toEqual(['end none'])
})

test(
  'number fields accept decimals and signs, and dates can be cleared',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<input type="number" step="any" aria-label="Number"><input type="date" aria-label="Day" value="2026-03-09">`,
    })
    const { call } = await drive(page)
    const value = () => property(page, '[type=number]', 'value')
    for (const text of ['2.5', '-3', '-0.75', '1e3']) {
      await call('type_text', { ref: 'Number', text })
      expect(await value()).toBe(text)
    }
    await call('type_text', { ref: 'Number', text: '12.5' })
    await call('press_key', { key: 'Backspace' })
    await call('press_key', { key: '7' })
    expect(await value()).toBe('12.7')
    await call('type_text', { ref: 'Day', text: '' })
    expect(await property(page, '[type=date]', 'value')).toBe('')
  },
)

test(
  'an editor’s text grows inside its blocks, with one beforeinput a change',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `${LOG}<div contenteditable role="textbox" aria-label="Editor">
      <p>One</p>
      <p>Two</p>
    </div><script>document.addEventListener('beforeinput', ({ inputType }) => log.push(inputType))</script>`,
    })
    const { call } = await drive(page)
    await call('type_text', { ref: 'Editor', text: '!?', mode: 'append' })
    expect(await heard(page)).toEqual(['insertText', 'insertText'])
    expect(await property(page, 'p:last-child', 'textContent')).toBe('Two!?')
    const lines = Array.from({ length: 12 }, (_, index) => `Line number ${index}`)
    await call('type_text', { ref: 'Editor', text: lines.join('\n') })
    const blocks = await page.evaluate(() => {
      const { innerText } = document.querySelector<HTMLElement>('[role=textbox]')!
      return innerText.split('\n').filter(Boolean)
    })
    expect(blocks).toEqual(lines)
  },
)

test(
  'an editor that handles all input knows the selection before the first key',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<div contenteditable role="textbox" aria-label="Editor"><p>Hello</p></div><script>
      const editor = document.querySelector('[role=textbox]')
      let text = 'Hello', from = 0, to = 0
      document.addEventListener('selectionchange', () => {
        const { anchorNode, anchorOffset, focusOffset } = getSelection()
        if (editor.contains(anchorNode)) [from, to] = [Math.min(anchorOffset, focusOffset), Math.max(anchorOffset, focusOffset)]
      })
      editor.addEventListener('beforeinput', (event) => {
        event.preventDefault()
        text = text.slice(0, from) + (event.data ?? '') + text.slice(to)
        from = to = from + (event.data ?? '').length
        editor.firstChild.firstChild.nodeValue = text
        getSelection().collapse(editor.firstChild.firstChild, from)
      })
    </script>`,
    })
    const { call } = await drive(page)
    await call('type_text', { ref: 'Editor', text: ', you', mode: 'append' })
    expect(await property(page, 'p', 'textContent')).toBe('Hello, you')
    await call('type_text', { ref: 'Editor', text: 'New' })
    expect(await property(page, 'p', 'textContent')).toBe('New')
  },
)

test('controls without their own box can be used', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `${LOG}<div style="height: 2000px"></div><button style="display: contents" onclick="log.push('flat')"><span>Flat</span></button>
    <div hidden><button style="display: contents">Hidden flat</button></div>`,
  })
  const { call } = await drive(page)
  await call('click', { ref: 'Flat' })
  expect(await heard(page)).toEqual(['flat'])
  expect(await call('read_page')).not.toContain('Hidden flat')
})
