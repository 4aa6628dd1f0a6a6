import { drive } from '../apps/drive.ts'
import { Said } from './page-tasks/support/hands.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Fields that aren't displayed and only carry a value, content that a style skips, and what is known as clickable by
// the pointer over it alone: all as component libraries make them.

test(
  'a field with display: none is neither typed into nor shown instead of its label',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<label for="carrier">Volume</label>
      <div role="slider" tabindex="0" aria-label="Volume" aria-valuenow="10" aria-valuemin="0" aria-valuemax="100" style="width: 90px; height: 20px"><input hidden id="carrier" value="10"></div>
      <label><input type="checkbox" hidden> Agree</label><label for="more"><i>Send</i> <b>more</b></label><input type="checkbox" id="more" hidden>
      <script>
        const slider = document.querySelector('[role=slider]')
        slider.addEventListener('keydown', ({ key }) => {
          const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[key] ?? 0
          slider.setAttribute('aria-valuenow', Number(slider.getAttribute('aria-valuenow')) + step)
        })
      </script>`,
    })
    const { call } = await drive(page)
    const said = new Said(await call('read_page'))
    expect(said.has('textbox'), said.text).toBe(false)
    // A click on these labels is for what they stand for.
    expect(said.has('checkbox', 'Agree'), said.text).toBe(true)
    expect(said.has('checkbox', 'Send more'), said.text).toBe(true)
    await call('type_text', { ref: said.ref('slider', 'Volume'), text: '14' })
    const held = await page.evaluate(() => {
      const slider = document.querySelector('[role=slider]')
      return [slider?.getAttribute('aria-valuenow'), slider?.querySelector('input')?.value]
    })
    expect(held).toEqual(['14', '10'])
  },
)

test(
  'content with content-visibility: hidden is absent until shown, and again afterwards',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<style>.more { content-visibility: hidden } :checked ~ .more { content-visibility: visible }
        .inline { content-visibility: hidden }</style>
      <div><input type="checkbox" aria-label="Shipping"><div class="more"><p>By boat</p><button>Ship it</button></div></div>
      <p><span class="inline">Costs <b>nothing</b></span></p>`,
    })
    const { call } = await drive(page)
    const closed = await call('read_page')
    expect(closed).not.toMatch(/Ship it|By boat/)
    expect(closed).toContain('nothing')
    const opened = await call('set_checked', { ref: 'Shipping', checked: true })
    expect(opened).toContain('button "Ship it"')
    expect(opened).toContain('By boat')
    expect(await call('set_checked', { ref: 'Shipping', checked: false })).toContain('<removed>')
    expect(await call('read_page')).not.toMatch(/Ship it|By boat/)
  },
)

test('a hover-only pointer cursor marks clickable elements', async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.menu a.item:hover, .menu .row:hover { cursor: pointer } .menu :hover, :hover { color: teal }</style>
      <div class="menu"><a class="item">One</a><a class="item" id="two">Two</a><a class="other">Three</a><p class="row">Four</p></div>`,
  })
  const { call } = await drive(page)
  const said = new Said(await call('read_page'))
  for (const name of ['One', 'Two', 'Four'])
    expect(said.one('generic', name).marks, said.text).toContain('[clickable]')
  expect(said.all('generic', 'Three')).toEqual([])
})

test(
  'an invisible field over a title is shown as the control to use',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<style>.fold { position: relative } .fold > input { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; margin: 0 }
      .sheet { position: fixed; inset: 100px 0 0; background: white }</style>
      <div class="fold"><input type="checkbox"><div style="cursor: pointer">Shipping</div></div><div style="margin-top: 150px; cursor: pointer">Below</div><div class="sheet" id="sheet"></div>`,
    })
    const { call } = await drive(page)
    expect(await call('click', { ref: 'Shipping' })).toMatch(
      /^covered: .* by checkbox .*\[ref=e\d+\]\. Use that instead\.$/,
    )
  },
)
