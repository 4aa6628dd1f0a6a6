import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'

// Controls that are hidden from assistive technology, or lie in a larger click target.

const lines = (text: string): string[] =>
  text
    .replace(/ \[ref=e\d+\]/g, '')
    .split('\n')
    .filter((line) => line.startsWith('  ') || line.startsWith('- '))

test('parts of a click target with a handler of their own have refs', async ({ openPage }) => {
  const page = await openPage({
    body: `<style>div, li { cursor: pointer }</style>
      <div data-case="ids"><i id="reply">Reply</i> <i id="forward">Forward</i></div>
      <div data-case="attributes"><i data-action="like">Like it</i><i>7</i></div>
      <div data-case="react"><i>Up 1</i><i>2</i></div>
      <div data-case="vue"><i>Left 1</i><i>2</i></div>
      <div data-case="property"><i>Top 1</i><i>2</i></div>
      <ul><li><i class="name">Ada</i> <i class="role">Admin</i></li><li><i class="name">Bert</i> <i class="role">Guest</i></li></ul>
      <div data-case="one text"><i>Ada</i> <i>Subject of the mail</i> <i>10:30</i></div>
      <script>
        const first = (name) => document.querySelector('[data-case=' + name + '] i')
        first('react')['__reactProps$k3'] = { onClick() {} }
        first('vue')[Symbol('_vei')] = { onClick() {} }
        first('property').onclick = () => {}
        for (const id of ['reply', 'forward'])
          document.getElementById(id).addEventListener('click', () => (document.title = id))
      </script>`,
  })
  const { call } = await drive(page)
  expect(lines(await call('read_page'))).toEqual([
    '- generic [clickable]:',
    '  - generic [clickable]: Reply',
    '  - generic [clickable]: Forward',
    '- generic [clickable]:',
    '  - generic [clickable]: Like it',
    '  - text: 7',
    '- generic [clickable]:',
    '  - generic [clickable]: Up 1',
    '  - text: 2',
    '- generic [clickable]:',
    '  - generic [clickable]: Left 1',
    '  - text: 2',
    '- generic [clickable]:',
    '  - generic [clickable]: Top 1',
    '  - text: 2',
    '- list:',
    '  - listitem [clickable]: Ada Admin',
    '  - listitem [clickable]: Bert Guest',
    '- generic [clickable]: Ada Subject of the mail 10:30',
  ])
  expect(await call('click', { ref: 'Forward' })).toContain('The title is now "forward"')
})

test('words of a drawing are in the outline', async ({ openPage }) => {
  const page = await openPage({
    body: `<svg width="200" height="100"><text x="9" y="20">North</text><text x="9" y="50">42</text></svg>
      <svg width="40" height="40"><text x="1" y="15">7 %</text></svg>`,
  })
  const { call } = await drive(page)
  expect(lines(await call('read_page'))).toEqual(['- img: North 42', '- text: 7 %'])
})

test('a visible button in an aria-hidden part is listed, marked and pressed', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<div aria-hidden="true"><p>Words</p><a href="#top">Link</a>
        <button onclick="document.title = 'pressed'">Print</button>
        <button style="position: absolute; left: -500px">Far</button>
        <button style="display: none">None</button>
        <span data-offstage-ignore><button>Ignored</button></span>
        <span data-offstage-mask><button>Masked</button></span></div>
      <button aria-hidden="true" onclick="document.title = 'cleared'">Clear</button>
      <div style="position: relative; width: 90px"><div aria-hidden="true"><button>Under</button></div>
        <div style="position: absolute; inset: 0; background: white">Cover</div></div>
      <button onclick="modal.hidden = false">Open</button><div id="modal" role="dialog" aria-label="Question" hidden>Sure?</div>
      <div style="height: 3000px"></div><div aria-hidden="true" style="height: 0; overflow: hidden"><button>Folded</button></div>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(lines(text)).toEqual([
    '- button "Print" [aria-hidden]',
    '- button "Clear" [aria-hidden]',
    '- text: Cover',
    '- button "Open"',
  ])
  expect(await call('click', { ref: 'Print' })).toContain('The title is now "pressed"')
  expect(await call('click', { ref: 'Clear' })).toContain('The title is now "cleared"')
  expect(await call('find', { name: 'Under' })).toContain('Nothing on the page matches')
  // An open dialog hides the page in this way.
  await call('click', { ref: 'Open' })
  expect(lines(await call('read_page'))).toEqual([
    '- text: Cover',
    '- button "Open"',
    '- dialog "Question": Sure?',
  ])
})

test('each cell of a clickable board has a line, in rows and in full rows, too', async ({
  openPage,
}) => {
  const cells = (texts: readonly string[]): string => texts.map((text) => `<p>${text}</p>`).join('')
  const page = await openPage({
    body: `<style>.board { cursor: pointer; width: 120px } .board div { display: flex } p { width: 40px; height: 40px; margin: 0 } td { width: 40px; height: 40px }</style>
      <div class="board"><div>${cells(['X', 'O', 'X'])}</div><div>${cells(['', '', ''])}</div></div>
      <table class="board"><tr><td>X<td>O<tr><td><td></table>
      <ul class="board"><li><i></i><b>Ada</b><li><i></i><b>Bert</b></ul>`,
  })
  const { call } = await drive(page)
  const shown = lines(await call('read_page'))
  expect(shown.slice(0, 7)).toEqual([
    '- generic [clickable]:',
    ...['X', 'O', 'X'].map((text) => `  - generic [clickable]: ${text}`),
    ...['', '', ''].map(() => '  - generic [clickable]'),
  ])
  expect(shown.filter((line) => line.includes('cell [clickable]'))).toHaveLength(4)
  expect(shown.filter((line) => /Ada|Bert/.test(line))).toEqual([
    '  - listitem: Ada',
    '  - listitem: Bert',
  ])
})

test('the words that interest in an element shows are its hint', async ({ openPage }) => {
  const page = await openPage({
    body: `<button interestfor="tip">Buy</button><div id="tip" popover="hint">Charged at once</div>
      <a href="#x" interestfor="secret">Plan</a><div id="secret" popover="hint">Code <b data-offstage-mask>1234</b></div>`,
  })
  const { call } = await drive(page)
  expect(lines(await call('read_page'))).toEqual([
    '- button "Buy" [hint="Charged at once"]',
    '- link "Plan"',
  ])
})

test('words beside redrawn lists are reported', async ({ openPage }) => {
  const page = await openPage({
    body: `<main><ul></ul><ul></ul></main><button id="next">Next</button>
      <script>
        const items = (from) => Array.from({ length: 12 }, (_, at) => '<li><button>' + (from + at) + '</button></li>').join('')
        const draw = (from) => document.querySelectorAll('ul').forEach((list, at) => { list.innerHTML = items(from + at * 12) })
        draw(1)
        next.onclick = () => {
          draw(100)
          document.querySelector('main').insertAdjacentHTML('afterbegin', '<p>No room is free.</p>')
        }
      </script>`,
  })
  const { call } = await drive(page)
  await call('read_page')
  const text = await call('click', { ref: 'Next' })
  expect(text).toMatch(/main.* was redrawn: 24 controls/)
  expect(text).toMatch(/<new> .*No room is free\./)
  expect(text).not.toMatch(/<new> .*button/)
})

test('a grid whose cells are redrawn row by row is one change', async ({ openPage }) => {
  const page = await openPage({
    body: `<table role="grid" aria-label="Days">${'<tr></tr>'.repeat(5)}</table><button id="next">Next</button><button id="one">One</button>
      <script>
        const rows = [...document.querySelectorAll('tr')]
        const cells = (from) => Array.from({ length: 7 }, (_, day) => '<td><button>' + (from + day) + '</button>').join('')
        const draw = (from) => rows.forEach((row, week) => (row.innerHTML = cells(from + week * 7)))
        draw(1)
        next.onclick = () => draw(100)
        one.onclick = () => (rows[0].firstChild.innerHTML = '<button>New</button>')
      </script>`,
  })
  const { call } = await drive(page)
  await call('read_page')
  const text = await call('click', { ref: 'Next' })
  expect(text).toMatch(
    /<changed> grid "Days" \[ref=\w+\] was redrawn: 35 controls, all with new refs/,
  )
  expect(text).not.toMatch(/<new>|<removed>/)
  expect(await call('click', { ref: 'One' })).toMatch(/<new> button "New"/)
})
