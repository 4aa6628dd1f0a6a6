import { MORE } from './support/more.ts'
import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'

// Same-origin frames: other realms, with dialogs and addresses of their own, that come and go.

const FORM = `<!doctype html><title>Inner title</title><style>body { margin: 8px }</style><body>
  <form onsubmit="event.preventDefault(); parent.sent = Object.fromEntries(new FormData(this))">
    <label>Name <input name="name"></label><label>Size <select name="size"><option>S<option>L</select></label>
    <label>Day <input type="date" name="day"></label><label><input type="checkbox" name="ok"> Agree</label><button>Send</button></form>
  <div contenteditable role="textbox" aria-label="Editor" id="editor"><p>old</p></div>
  <button onclick="parent.answers = [confirm('Sure?'), prompt('Who?', 'Ada')]">Ask</button>
  <script>for (const type of ['mousedown', 'keydown', 'beforeinput', 'input', 'change', 'click'])
    addEventListener(type, (event) => { if (!(event instanceof Event)) parent.foreign = type })</script>`

test(
  'fields, editors and dialogs in a frame work like those in the page',
  MORE,
  async ({ openPage, site }) => {
    site.add('/form.html', { body: FORM })
    const page = await openPage({
      body: '<div style="height: 1500px"></div><iframe id="frame" src="/form.html" title="Inner" style="width: 500px; height: 300px"></iframe>',
    })
    const { call } = await drive(page, { dialogs: 'accept' })
    await call('fill_form', {
      fields: [
        { ref: 'Name', value: 'Ada' },
        { ref: 'Size', value: 'L' },
        { ref: 'Day', value: '2026-03-09' },
        { ref: 'Agree', value: true },
      ],
    })
    await call('press_key', { ref: 'Name', key: 'Enter' })
    expect(await page.evaluate(() => (window as unknown as { sent: object }).sent)).toEqual({
      name: 'Ada',
      size: 'L',
      day: '2026-03-09',
      ok: 'on',
    })
    await call('type_text', { ref: 'Editor', text: 'new' })
    await call('type_text', { ref: 'Editor', text: ' words', mode: 'append' })
    const editor = await page.evaluate(() => {
      const frame = document.querySelector<HTMLIFrameElement>('#frame')
      return frame?.contentDocument?.querySelector('#editor')?.innerHTML
    })
    expect(editor).toBe('<p>new words</p>')
    expect(await call('click', { ref: 'Ask' })).toContain(
      'native confirm: "Sure?"; it was accepted',
    )
    expect(
      await page.evaluate(() => {
        const { answers, foreign } = window as unknown as Record<string, unknown>
        return { answers, foreign }
      }),
    ).toEqual({ answers: [true, 'Ada'] })
  },
)

test(
  'refs of a removed, emptied or navigated frame are stale',
  MORE,
  async ({ openPage, site }) => {
    site.add('/first.html', { body: '<button>First</button>' })
    site.add('/next.html', { body: '<button onclick="parent.next = 1">Next</button>' })
    const page = await openPage({
      body: '<iframe src="/first.html"></iframe><button onclick="this.textContent = 1">Outer</button>',
    })
    const { call } = await drive(page)
    const refOf = async (name: string) =>
      new RegExp(`button "${name}" \\[ref=(e\\d+)\\]`).exec(await call('read_page'))?.[1]
    const first = await refOf('First')
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const frame = document.querySelector('iframe')!
          frame.onload = resolve
          frame.src = '/next.html'
        }),
    )
    expect(await call('click', { ref: first })).toMatch(/^stale-ref: /)
    const next = await refOf('Next')
    await call('click', { ref: next })
    expect(await page.evaluate(() => (window as unknown as { next: number }).next)).toBe(1)
    await page.evaluate(() => document.querySelector('iframe')?.contentDocument?.body.remove())
    expect(await call('read_page')).toContain('button "Outer"')
    expect(await call('click', { ref: next })).toMatch(/^stale-ref: /)
    await page.evaluate(() => document.querySelector('iframe')?.remove())
    expect(await call('click', { ref: next })).toMatch(/^stale-ref: /)
    expect(await call('read_page')).not.toContain('iframe')
    await call('click', { ref: 'Outer' })
    expect(await property(page, 'button', 'textContent')).toBe('1')
  },
)

test('a page part may lie inside a frame', MORE, async ({ openPage, site }) => {
  site.add('/part.html', {
    body: `<!doctype html><title>Inner title</title><main><button onclick="this.textContent = 'Done'">Inside</button></main><button>Beside</button>`,
  })
  const page = await openPage({
    body: '<button>Outside</button><iframe src="/part.html"></iframe>',
  })
  await drive(page)
  const seen = await page.evaluate(async () => {
    interface Page {
      readonly tag: 'page'
    }
    interface Entry {
      createPage(options: object): Page
      snapshot(root?: Element, options?: object): Promise<{ id: string; text: string }>
      click(target: Element | string, options?: object): Promise<{ text: string }>
    }
    const { createPage, snapshot, click } = (window as unknown as { pageToolsEntry: Entry })
      .pageToolsEntry
    const frame = document.querySelector('iframe')!
    const main = frame.contentDocument!.querySelector('main')!
    const part = createPage({ root: () => frame.contentDocument?.querySelector('main') ?? null })
    const failed = (error: Error) => ({ text: error.message })
    const direct = await snapshot(main)
    const whole = await snapshot(undefined, { page: part })
    const clicked = await click('Inside', { page: part })
    const after = await snapshot(undefined, { page: part, since: whole.id })
    const outside = await click('Beside', { page: part }).catch(failed)
    frame.remove()
    const gone = await snapshot(undefined, { page: part }).catch(failed)
    const detached = await snapshot(main).catch(failed)
    return [direct, whole, clicked, after, outside, gone, detached].map(({ text }) => text)
  })
  const [direct = '', whole = '', clicked, after, outside, gone, detached] = seen
  for (const text of [direct, whole]) {
    expect(text).toContain('button "Inside"')
    expect(text).not.toMatch(/Beside|Outside/)
  }
  expect(whole).toMatch(/^Page "Inner title" at \S+\/part\.html/)
  expect(clicked).toContain('button "Done"')
  expect(after).toContain('button "Done"')
  expect(outside).toContain('No element is named "Beside"')
  expect(gone).toContain('does not exist now')
  expect(detached).toMatch(/no longer on the page|outside the part/)
})
