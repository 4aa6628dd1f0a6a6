import { drive } from '../apps/drive.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'
import { refIn } from './support/ref-in.ts'
import { MORE, inSlice } from './support/more.ts'

// Parts that a style shows only while the pointer is over something. No script can cause that.

interface Way {
  readonly name: string
  readonly css: string
  /** CSS of the part that appears. */
  readonly part?: string
}

const HIDDEN = '.part { display: none }'
const WAYS: readonly Way[] = [
  { name: 'display', css: `${HIDDEN} .row:hover .part { display: block }` },
  {
    name: 'visibility',
    css: '.part { visibility: hidden } .row:hover > .part { visibility: visible }',
  },
  {
    name: 'opacity, without the pointer',
    css: '.part { opacity: 0; pointer-events: none; transition: all 0.2s } .row:hover .part { opacity: 1; pointer-events: auto }',
  },
  {
    name: 'a clip',
    css: '.part { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden } .row:hover .part { clip-path: none; width: auto; height: auto }',
  },
  {
    name: 'a place far outside',
    css: '.part { position: absolute; left: -999em } .row:hover .part { left: auto }',
  },
  {
    name: 'what hides it elsewhere only',
    css: '.row:not(:hover) .part { display: none }',
  },
  { name: 'the focus', css: `${HIDDEN} .row:focus-within .part { display: block }` },
  {
    name: 'a rule within a rule',
    css: `${HIDDEN} .row { &:hover { .part { display: block } } }`,
  },
  {
    name: 'utilities of a framework, in layers',
    css: `@layer base, utilities; @layer utilities { .invisible { visibility: hidden } .group-hover\\:visible { &:is(:where(.row):hover *) { @media (min-width: 1px) { visibility: visible } } } } @layer base { .part { visibility: hidden } }`,
    part: 'part invisible group-hover:visible',
  },
  {
    name: 'a media query and a support that hold',
    css: `${HIDDEN} @supports (display: grid) { @media (min-width: 1px) { .row:hover .part { display: grid } } }`,
  },
  { name: 'an element before it', css: `${HIDDEN} .trigger:hover + .part { display: block }` },
  {
    name: 'what is important',
    css: `.part { display: none !important } .row:hover .part { display: block !important }`,
  },
  {
    name: 'a list of selectors',
    css: `${HIDDEN} .x:hover b, .row:is(:hover, :focus) .part, p { display: block }`,
  },
]

const ROW = (part = 'part'): string =>
  `<div class="row" style="padding: 8px"><span class="trigger">Ada</span><div class="${part}"><button id="remove"><b>Remove</b> <i>Ada</i></button> Words</div></div>`

/** Replaces what is in the page, or in a shadow root of it. */
async function show(
  page: Pick<DrivenPage, 'evaluate'>,
  html: string,
  isShadow: boolean,
): Promise<void> {
  await page.evaluate(
    ([content, inShadow]) => {
      const { body } = document
      document.title = ''
      body.innerHTML = inShadow ? '<div id="host"></div>' : content
      const root = inShadow ? body.firstElementChild!.attachShadow({ mode: 'open' }) : body
      if (inShadow) root.innerHTML = content
      const remove = root.querySelector('#remove') as HTMLElement
      remove.onclick = ({ target }) => (document.title += `removed by ${(target as Element).id}`)
    },
    [html, isShadow] as const,
  )
}

for (const isShadow of [false, true])
  test(
    `controls that styles${isShadow ? ' of a shadow root' : ''} show on hover are listed and clickable`,
    MORE,
    async ({ openPage }) => {
      const page = await openPage({ body: '' })
      const { call } = await drive(page)
      for (const { name, css, part } of WAYS) {
        await show(page, `<style>${css}</style>${ROW(part)}`, isShadow)
        const outline = await call('read_page')
        expect(outline, name).toContain('button "Remove Ada" [on hover] [ref=')
        const found = await call('find', { role: 'button' })
        expect(found, name).toContain('button "Remove Ada" [on hover]')
        const clicked = await call('click', { ref: refIn(outline, /Remove Ada/) })
        expect(clicked, name).toMatch(/^Clicked button "Remove Ada"/)
        expect(await page.evaluate(() => document.title), name).toBe('removed by remove')
      }
    },
  )

const NEVER: readonly Way[] = [
  {
    name: 'a stronger selector hides it',
    css: `.table .row .list .part { display: none } .row:hover .part { display: block }`,
  },
  {
    name: 'a later rule hides it',
    css: `.row:hover .part { display: block } .row.locked .part { display: none }`,
  },
  {
    name: 'what is important hides it',
    css: `.part { display: none !important } .row:hover .part { display: block }`,
  },
  {
    name: 'its style attribute hides it',
    css: '.row:hover .styled { display: block }',
    part: 'styled',
  },
  {
    name: 'a rule outside of layers hides it',
    css: `.part { display: none } @layer a { .row:hover .part { display: block } }`,
  },
  {
    name: 'a media query does not hold',
    css: `${HIDDEN} @media (max-width: 1px) { .row:hover .part { display: block } }`,
  },
  { name: 'only it itself could be pointed at', css: `${HIDDEN} .part:hover { display: block }` },
  { name: 'the rule shows nothing', css: `${HIDDEN} .row:hover .part { color: red }` },
  { name: 'the rule is of another row', css: `${HIDDEN} .other:hover .part { display: block }` },
  {
    name: 'the rule shows it by a variable',
    css: `${HIDDEN} .row:hover .part { display: var(--shown) }`,
  },
  {
    name: 'another style hides it, too',
    css: `.part { display: none; opacity: 0 } .row:hover .part { display: block }`,
  },
  {
    name: 'what is around it stays hidden',
    css: `.list { display: none } .row:hover .part { display: block }`,
  },
  {
    name: 'the attribute hidden has no rule against it',
    css: '.row:hover .part { opacity: 1 } [hidden] { display: none }',
    part: 'part" hidden x="',
  },
  {
    name: 'a container must be as large as can not be known',
    css: `${HIDDEN} .list { container-type: inline-size } @container (min-width: 1px) { .row:hover .part { display: block } }`,
  },
]

for (const isShadow of [false, true])
  test(
    `elements that no pointer reveals are not listed${isShadow ? ', in a shadow root' : ''}`,
    inSlice(!isShadow),
    async ({ openPage }) => {
      const page = await openPage({ body: '' })
      const { call } = await drive(page)
      for (const { name, css, part = 'part' } of NEVER) {
        const style = part === 'styled' ? 'style="display: none"' : ''
        const html = `<div class="table"><div class="row locked" style="padding: 8px"><div class="list">Ada <div class="${part}" ${style}><button id="remove">Remove</button></div></div></div></div>`
        await show(page, `<style>${css}</style>${html}`, isShadow)
        expect(await call('read_page'), name).not.toContain('[on hover]')
        expect(await call('find', { role: 'button', name: 'Remove' }), name).not.toContain(
          'Remove"',
        )
        expect(await call('click', { ref: 'Remove' }), name).toMatch(/^not-found: /)
      }
    },
  )

test('hover reports what styles show to a person', async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.part { display: none } .row:hover .part, .tip:hover i { display: block } .tip i { display: none }</style>
      <div class="row">Ada <button class="part">Remove</button></div><span class="tip" tabindex="0">Price <i>with tax</i></span><p>Plain</p>`,
  })
  const { call } = await drive(page)
  expect(await call('hover', { ref: 'Ada' })).toMatch(
    /a style shows there what click takes, too:\n- button "Remove" \[on hover\] \[ref=/,
  )
  const tip = await call('hover', { ref: 'Price' })
  expect(tip).toContain("A style may show something there, but only to a person's pointer.")
  expect(tip).not.toContain('with tax')
  expect(await call('hover', { ref: 'Plain' })).not.toContain('style')
})

test('elements shown on hover follow the same rules', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>.part { display: none } .row:hover .part { display: block } .none { color: transparent } .tiny { font-size: 1px }</style>
      <div class="row"><div class="part"><p>Words that nobody reads</p><h2>Headline</h2><img alt="Words of a picture">
        <a href="#1" class="none">Nobody sees this</a><a href="#3" class="tiny">Too small</a>
        <a href="#4" style="opacity: 0">Clear</a><a href="#5" style="position: absolute; left: -9999px">Away</a><span aria-hidden="true"><a href="#6">Left out</a></span>
        <a href="#7"><i style="display: none">Not me</i>Me</a><button data-offstage-mask>hunter22-secret</button>
        <input type="password" value="hunter22-secret" aria-label="Password"><button class="denied">Denied</button><button disabled>Off</button>
        <button data-offstage-ignore>Ignored</button></div></div>
      <div class="row"><button class="part" onclick="deleted = true">Delete account</button></div>`,
  })
  const { call } = await drive(page, { deny: ['.denied'] })
  const text = (await call('read_page')) + (await call('find', { text: 'Words' }))
  for (const words of [
    'Words',
    'Headline',
    'Clear',
    'Away',
    'Left out',
    'Not me',
    'hunter22',
    'Denied',
    'Ignored',
  ])
    expect(text).not.toContain(`${words}`)
  expect(text).toContain('link "Me" [on hover] [ref=')
  expect(text).toContain('[on hover] [name hidden: transparent]')
  expect(text).toContain('link "Too small" [on hover] [name hidden: too small to see]')
  expect(await call('click', { ref: 'Off' })).toMatch(/^disabled: /)
  const commits = await page.evaluate(async () => {
    const { pageTools } = (window as unknown as { pageToolsEntry: { pageTools: () => Commits[] } })
      .pageToolsEntry
    interface Commits {
      name: string
      commits?(input: object, context: object): Promise<boolean>
    }
    const click = pageTools().find(({ name }) => name === 'click')!
    return click.commits!({ ref: 'Delete account' }, { toolCallId: 'call', tainted: true })
  })
  expect(commits).toBe(true)
})

test(
  'elements shown and hidden by a script are reported as visible',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<style>.part { display: none } .row:hover .part, .part.open { display: block }</style>
      <div class="row">Ada <div class="part" id="actions" role="menu"><button role="menuitem">Remove</button></div></div><button onclick="actions.classList.toggle('open')">Toggle</button>
      <button onclick="document.querySelector('.row').insertAdjacentHTML('afterend', '<div class=row>Bert <button class=part>Edit</button></div>')">Add</button>`,
    })
    const { call } = await drive(page)
    await call('read_page')
    expect(await call('click', { ref: 'Toggle' })).toMatch(
      /New: menu.*<new> menu .*menuitem "Remove" \[ref=/s,
    )
    expect(await call('read_page')).not.toContain('[on hover]')
    const closed = await call('click', { ref: 'Toggle' })
    expect(closed).toContain('<removed> menu')
    expect(closed).not.toContain('<new>')
    const added = await call('click', { ref: 'Add' })
    expect(added).toContain('button "Edit" [on hover]')
    expect(added).not.toContain('New:')
  },
)
