import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Controls that nobody named, and controls that look like text: each has a line, a ref, and what distinguishes it.

test('icon buttons without a name are distinguished and found', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>i, svg { display: inline-block; width: 16px; height: 16px }</style>
      <table><tr><td>Ada<td><button id="remove-ada"><i class="fas fa-trash fa-lg"></i></button><td><a href="/users/7/edit?x=1"><svg><use href="#pencil"/></svg></a>
      <tr><td>Bert<td><button><i class="fas fa-trash"></i></button><td><a href="/users/8/edit"><svg><use href="#pencil"/></svg></a></table>
      <button data-action="archive"><svg></svg></button><button class="btn btn-ghost"><svg class="lucide lucide-bell w-4"></svg></button>
      <button><svg><title>Star</title></svg></button><input name="coupon"><button data-offstage-mask id="secret"></button>
      <button aria-label="Named" class="fa-close">x</button>`,
  })
  const { call } = await drive(page)
  const text = (await call('read_page')).replace(/ \[ref=e\d+\]/g, '')
  for (const line of [
    '- button [hint="trash, remove ada"]',
    '- link [hint="pencil, /users/7/edit"]',
    '- link [hint="pencil, /users/8/edit"]',
    '- button [hint="archive"]',
    '- button [hint="bell"]',
    '- textbox [hint="coupon"]',
    '- button "Named"',
  ])
    expect(text).toContain(line)
  expect(text).toMatch(/button ("Star"|\[hint="star"\])/)
  expect(text).not.toContain('[hint="secret')
  const found = await call('find', { role: 'button', name: 'trash' })
  expect(found).toMatch(/button \[hint="trash, remove ada"\] \[ref=e\d+\] \(in row "Ada/)
  expect(found).toMatch(/button \[hint="trash"\] \[ref=e\d+\] \(in row "Bert/)
  // A hint isn't a name: no tool finds an element by it.
  expect(await call('click', { ref: 'archive' })).toMatch(/^not-found: .*hint="archive"/s)
})

test("library icons get their library's names; classes of libraries or layouts give no hint", async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>svg, mat-icon, ion-icon, .sign { display: inline-block; width: 16px; height: 16px }</style>
      <button class="MuiButtonBase-root MuiIconButton-root css-1yxmbwk"><svg class="MuiSvgIcon-root" aria-hidden="true" data-testid="DeleteIcon"><path d="M0 0h9v9"/></svg></button>
      <button class="MuiButtonBase-root MuiIconButton-root"><svg class="MuiSvgIcon-root" data-testid="ArrowDownIcon"></svg></button>
      <button class="mat-mdc-icon-button"><mat-icon aria-hidden="true" class="mat-icon notranslate">delete_forever</mat-icon></button>
      <button><i class="material-icons" aria-hidden="true">print</i></button>
      <button><ion-icon name="heart-outline"></ion-icon></button>
      <p><span class="ant-tree-switcher" style="cursor: pointer"><span class="anticon anticon-caret-down ant-tree-switcher-icon sign"></span></span></p>
      <button class="ant-btn"><span class="anticon sign"><svg></svg></span></button>
      <p><button class="inline-flex items-center share"><svg></svg></button> <button class="inline-flex items-center"><svg></svg></button></p>
      <p><button class="dot"><svg></svg></button><button class="dot"><svg></svg></button></p>`,
  })
  const { call } = await drive(page)
  const text = (await call('read_page')).replace(/ \[ref=e\d+\]/g, '')
  const hints = [...text.matchAll(/(?:button|generic)(?: \[hint="([^"]*)"\])?/g)].map(
    ([, hint = '']) => hint,
  )
  expect(hints, text).toEqual([
    'delete',
    'arrow down',
    'delete forever',
    'print',
    'heart outline',
    'caret down',
    '',
    'share',
    '',
    '',
    '',
  ])
  const found = await call('find', { role: 'button', name: 'delete' })
  expect(found).toMatch(/button \[hint="delete"\][^]*button \[hint="delete forever"\]/)
})

test('each clickable element has its own line', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.row, .act, .bar { cursor: pointer } .thumb { position: absolute; width: 14px; height: 14px; background: #36c }
        .guard { position: fixed; opacity: 0 } .row * { cursor: inherit } .row .act { cursor: pointer }</style>
      <div class="row" id="row">Mail from Ada <span class="act" id="reply">Reply</span><span class="act" id="forward">Forward</span></div>
      <div class="row"><b>Only</b> <i>text</i></div>
      <span id="minus">-</span><span>2</span><span id="plus">+</span>
      <p style="position: relative; height: 20px"><span class="thumb" id="thumb" tabindex="0"></span><span class="guard" tabindex="0"></span></p>
      <svg width="100" height="60"><rect class="bar" id="jan" width="40" height="50" fill="#36c"><title>January</title></rect><rect class="bar" id="feb" x="50" width="40" height="30" fill="#36c"/><rect y="55" width="9" height="5"/></svg>
      <button class="row"><span class="act">One</span> target</button>
      <div id="wrapper"><button>Inside</button><button>Other</button></div>
      <script>
        window.clicked = []
        for (const one of document.querySelectorAll('[id]'))
          one.addEventListener('click', (event) => { event.stopPropagation(); clicked.push(one.id); one.style.outline = '1px solid' })
      </script>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  const lines = [
    ...text.matchAll(/generic (?:\[hint="([^"]*)"\] )?\[clickable\] \[ref=(e\d+)\](?:: ?(.*))?/g),
  ].map(([, hint = '', ref = '', words = '']) => ({ ref, is: hint || words }))
  const ref = (is: string): string => lines.find((one) => one.is === is)?.ref ?? ''
  for (const is of ['Reply', 'Forward', '-', '+', 'thumb', 'January', 'feb'])
    expect(ref(is), `${is} in ${text}`).not.toBe('')
  for (const is of ['Reply', 'Forward', '-', '+', 'thumb', 'January', 'feb'])
    await call('click', { ref: ref(is) })
  expect(await page.evaluate(() => (window as unknown as { clicked: string[] }).clicked)).toEqual([
    'reply',
    'forward',
    'minus',
    'plus',
    'thumb',
    'jan',
    'feb',
  ])
  expect(lines).toHaveLength(9)
  expect(text).toContain('button "One target"')
  // A wrapper is no control.
  const wrapped = await page.evaluate(async () => {
    const { click } = (
      window as unknown as {
        pageToolsEntry: { click: (one: Element) => Promise<{ text: string }> }
      }
    ).pageToolsEntry
    return (await click(document.querySelector('#wrapper')!)).text
  })
  expect(wrapped).toMatch(/holds controls, one of which may be meant\. Try:\n- button "Inside"/)
})

test('elements on a scale show their range', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<input type="range" aria-label="Volume"><input type="range" aria-label="Zoom" min="-1.5" max="4" step="0.5" value="2">
      <input type="number" aria-label="Guests" min="1" value="2"><input type="number" aria-label="Free">
      <div role="slider" tabindex="0" aria-label="Price" aria-valuemin="10" aria-valuemax="900" aria-valuenow="20">x</div>
      <div role="slider" tabindex="0" aria-label="Odd" aria-valuemin='0] [ref=e1' aria-valuemax="1e9" aria-valuenow="2">x</div>`,
  })
  const { call } = await drive(page)
  const text = (await call('read_page')).replace(/ \[ref=e\d+\]/g, '')
  for (const line of [
    '- slider "Volume" [type=range] [min=0] [max=100]: 50',
    '- slider "Zoom" [type=range] [min=-1.5] [max=4]: 2',
    '- spinbutton "Guests" [type=number] [min=1]: 2',
    '- spinbutton "Free" [type=number]\n',
    '- slider "Price" [min=10] [max=900]: 20',
    '- slider "Odd": 2',
  ])
    expect(text).toContain(line)
})

test("a name is the same with or without the label's punctuation", MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<label>Email *: <input id="email"></label><label>City <input id="city"></label>
      <label>Stars * <input id="stars"></label><label>Stars <input id="plain"></label><button>*</button>`,
  })
  const { call } = await drive(page)
  const type = (ref: string): Promise<string> => call('type_text', { ref, text: ref })
  expect(await type('Email')).toMatch(/^Typed/)
  expect(await type('City:')).toMatch(/^Typed/)
  // Exact matches win over names that match only without their marks.
  expect(await type('Stars')).toMatch(/^Typed/)
  const typed = await page.evaluate(() =>
    [...document.querySelectorAll('input')].map(({ value }) => value),
  )
  expect(typed).toEqual(['Email', 'City:', '', 'Stars'])
  expect(await call('click', { ref: ':' })).toMatch(/^not-found/)
})

test('a button with a visually hidden name is not called unseen', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.sr { position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px; overflow: hidden }</style>
      <button style="width: 30px; height: 30px; background: #eee"><span class="sr">Delete</span></button><span class="sr">Only heard</span>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).toMatch(/- button "Delete" \[ref=e\d+\]/)
  expect(text).toMatch(/- text \[sr-only\]: Only heard/)
})
