import { drive } from '../apps/drive.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Texts that no eye sees, and texts that pages hide, cover or move for good reasons.

const WORDS = 'Secret words'

const GRADIENT = 'linear-gradient(90deg, red, blue)'

/** How a text is hidden, its label, and the page. */
const HIDDEN: readonly (readonly [how: string, label: string, body: string])[] = [
  ['opacity near 0', 'transparent', `<p style="opacity: 0.01">${WORDS}</p>`],
  ['opacities that add up', 'transparent', nest('opacity: 0.2', 'opacity: 0.2')],
  ['filter: opacity()', 'transparent', `<p style="filter: opacity(0)">${WORDS}</p>`],
  ['filter: opacity() around', 'transparent', nest('filter: opacity(1%)', '')],
  [
    'the end of an animation',
    'transparent',
    `<style>@keyframes out { to { opacity: 0.01 } }</style><p style="animation: out 1ms forwards">${WORDS}</p>`,
  ],
  [
    'an animation that never shows it',
    'transparent',
    `<style>@keyframes dim { from { opacity: 0.01 } to { opacity: 0.02 } }</style><p style="animation: dim 1s infinite">${WORDS}</p>`,
  ],
  ['a paused animation', 'transparent', paused('opacity: 0.01')],
  ['a transparent colour', 'transparent', `<p style="color: transparent">${WORDS}</p>`],
  ['a colour of hardly any alpha', 'transparent', `<p style="color: rgb(0 0 0 / 2%)">${WORDS}</p>`],
  [
    'a transparent fill',
    'transparent',
    `<p style="-webkit-text-fill-color: transparent">${WORDS}</p>`,
  ],
  [
    'a background in the shape of a text that has none',
    'transparent',
    `<p style="background-clip: text; -webkit-background-clip: text; color: transparent">${WORDS}</p>`,
  ],
  ['a font of one pixel', 'too small to see', `<p style="font-size: 1px">${WORDS}</p>`],
  ['scale(0)', 'too small to see', `<p style="transform: scale(0)">${WORDS}</p>`],
  ['scale near 0', 'too small to see', `<div style="scale: 0.01"><p>${WORDS}</p></div>`],
  ['no width', 'too small to see', `<p style="transform: scaleX(0)">${WORDS}</p>`],
  ['seen from the edge', 'too small to see', `<p style="transform: rotateX(90deg)">${WORDS}</p>`],
  ['clip-path: inset()', 'clipped to nothing', `<p style="clip-path: inset(50%)">${WORDS}</p>`],
  ['clip-path: circle()', 'clipped to nothing', `<p style="clip-path: circle(0)">${WORDS}</p>`],
  ['clip-path: polygon()', 'clipped to nothing', nest('clip-path: polygon(0 0, 0 0, 0 0)', '')],
  ['no height', 'clipped to nothing', nest('height: 0; overflow: hidden', '')],
  ['no greatest height', 'clipped to nothing', nest('max-height: 0; overflow: clip', '')],
  [
    'no width, scrolling',
    'clipped to nothing',
    nest('width: 0; overflow: auto', 'white-space: nowrap'),
  ],
  [
    'a row of a grid without height',
    'clipped to nothing',
    `<div style="display: grid; grid-template-rows: 0fr"><p style="overflow: hidden; min-height: 0; margin: 0">${WORDS}</p></div>`,
  ],
  ['text-indent', 'off the page', `<p style="text-indent: -9999px">${WORDS}</p>`],
  ['translate', 'off the page', `<p style="transform: translateX(-9999px)">${WORDS}</p>`],
  ['translate of its own', 'off the page', nest('translate: 0 -300vh', '')],
  ['a margin', 'off the page', `<p style="margin-left: -9999px; width: 200px">${WORDS}</p>`],
  [
    'a relative position',
    'off the page',
    `<p style="position: relative; left: -9999px">${WORDS}</p>`,
  ],
  [
    'far outside of what scrolls',
    'off the page',
    nest('overflow: auto; height: 100px', 'transform: translateX(-5000px)'),
  ],
  [
    'far outside of what is cut off',
    'off the page',
    nest('overflow: hidden; height: 100px', 'transform: translateX(-9999px); width: 50px'),
  ],
  [
    'an endless animation of no colour',
    'transparent',
    `<style>@keyframes clear { from, to { color: transparent } }</style><p style="animation: clear 1s infinite">${WORDS}</p>`,
  ],
  [
    'an endless animation of something else',
    'transparent',
    `<style>@keyframes line { to { outline-width: 2px } }</style><p style="opacity: 0.01; animation: line 2s infinite">${WORDS}</p>`,
  ],
  [
    'a shadow of no colour',
    'transparent',
    `<p style="color: transparent; text-shadow: 0 0 0 transparent">${WORDS}</p>`,
  ],
  ['a drawing’s text that nothing fills', 'transparent', drawing('<text y="20" fill="none">')],
  [
    'a drawing’s text that is filled with no alpha',
    'transparent',
    drawing('<text y="20" fill-opacity="0">'),
  ],
  ['no height, contained', 'clipped to nothing', nest('contain: paint; height: 0', '')],
  [
    'text-indent to the end',
    'off the page',
    `<p style="text-indent: 100%; white-space: nowrap; overflow: hidden; width: 200px">${WORDS}</p>`,
  ],
  [
    'text-indent far after the end',
    'off the page',
    `<p style="text-indent: 9999px; white-space: nowrap; overflow: hidden; width: 200px">${WORDS}</p>`,
  ],
  [
    'content-visibility: hidden of an element without attributes',
    'not displayed',
    `<style>section { content-visibility: hidden }</style><section><p>${WORDS}</p></section>`,
  ],
  ['the alternative of a drawing', 'not displayed', `<canvas>${WORDS}</canvas>`],
]

function nest(outer: string, inner: string): string {
  return `<div style="${outer}"><p style="${inner}">${WORDS}</p></div>`
}

function drawing(text: string, attributes = 'width="300" height="40"', before = ''): string {
  return `<svg ${attributes}>${before}${text}${WORDS}</text></svg>`
}

function paused(style: string): string {
  return `<style>@keyframes p { from { ${style} } }</style><p style="animation: p 1s paused">${WORDS}</p>`
}

/** Texts that pages style like this for good reasons, and uncertain cases. Neither counts as hidden. */
const SEEN: readonly (readonly [what: string, body: string])[] = [
  ['plain', `<p>${WORDS}</p>`],
  ['half transparent', `<p style="opacity: 0.5">${WORDS}</p>`],
  ['a light grey', `<p style="color: #ddd">${WORDS}</p>`],
  ['white on black', nest('background: #000', 'color: #fff')],
  ['a fine print', `<p style="font-size: 6px">${WORDS}</p>`],
  ['a scaled page', nest('transform: scale(0.5)', '')],
  [
    'a gradient heading',
    `<h2 style="background: ${GRADIENT}; -webkit-background-clip: text; background-clip: text; color: transparent">${WORDS}</h2>`,
  ],
  ['a text with a shadow', `<p style="color: transparent; text-shadow: 0 0 2px #000">${WORDS}</p>`],
  ['an outlined text', `<p style="color: #fff; -webkit-text-stroke: 1px #000">${WORDS}</p>`],
  [
    'fading in',
    `<style>@keyframes in { from { opacity: 0.01 } }</style><p style="animation: in 5s 2s backwards">${WORDS}</p>`,
  ],
  [
    'blinking',
    `<style>@keyframes blink { from { opacity: 0.01 } to { opacity: 1 } }</style><p style="animation: blink 5s steps(1) infinite">${WORDS}</p>`,
  ],
  [
    'a carousel',
    `<div style="overflow: hidden; width: 300px"><div style="display: flex; transform: translateX(-2400px)">${Array.from({ length: 12 }, (_, at) => `<div style="flex: 0 0 300px"><p>${at === 0 ? WORDS : 'Other slide'}</p></div>`).join('')}</div></div>`,
  ],
  [
    'a page that scrolls by moving',
    `<div style="position: fixed; inset: 0; overflow: hidden"><div style="transform: translateY(-5000px)"><p>${WORDS}</p><div style="height: 4800px"></div><div style="height: 4000px"><p>Further down</p></div></div></div>`,
  ],
  [
    'a menu that slides in',
    `<nav style="position: fixed; left: 0; width: 280px; transform: translateX(-100%)"><p>${WORDS}</p></nav>`,
  ],
  [
    'before the page in a page from right to left',
    `<div dir="rtl" style="overflow-x: auto; width: 300px"><div style="width: 4000px"><p style="direction: ltr; text-align: left">${WORDS}</p></div></div>`,
  ],
  [
    'scrolled out of its part',
    `<div style="overflow: auto; height: 50px"><p>Other</p><div style="height: 3000px"></div><p>${WORDS}</p></div>`,
  ],
  ['below the page', `<div style="height: 8000px"></div><p>${WORDS}</p>`],
  [
    'content-visibility: auto',
    `<div style="height: 8000px"></div><div style="content-visibility: auto; contain-intrinsic-size: 100px">${WORDS}</div>`,
  ],
  [
    'out of a box without height',
    `<div style="height: 0; overflow: hidden"><p style="position: absolute">${WORDS}</p></div>`,
  ],
  [
    'no box of its own',
    `<div style="display: contents; overflow: hidden; height: 0"><p>${WORDS}</p></div>`,
  ],
  [
    'the back of a card',
    `<p style="transform: rotateY(180deg); backface-visibility: hidden">${WORDS}</p>`,
  ],
  [
    'under a sticky bar',
    `<div style="position: fixed; inset: 0 0 auto; height: 100px; background: #eee">Bar</div><p>${WORDS}</p>`,
  ],
  [
    'a box in front of a transparent field',
    `<label style="position: relative"><input type="checkbox" style="opacity: 0; position: absolute">${WORDS}</label>`,
  ],
  [
    'a dialog over a transparent page',
    `<div style="opacity: 0.01"><dialog id="d">${WORDS}</dialog></div><script></script>`,
  ],
  [
    'a part of the text for assistive technology',
    `<a href="#x">${WORDS}<span style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0)"> about mugs</span></a>`,
  ],
  ['a picture sign', `<p style="color: #fff">★ → ●</p><p>${WORDS}</p>`],
  [
    'cut off after two lines',
    `<p style="display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden">${WORDS} ${'more '.repeat(200)}</p>`,
  ],
  [
    'text-overflow',
    `<p style="width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">${WORDS} and many more</p>`,
  ],
  ['turned', `<p style="transform: rotate(90deg); width: 100px">${WORDS}</p>`],
  ['mirrored', `<p style="transform: scaleX(-1)">${WORDS}</p>`],
  [
    'faded at its end by a mask',
    `<p style="mask-image: linear-gradient(90deg, #000 80%, transparent)">${WORDS}</p>`,
  ],
  [
    'a part of a gradient heading',
    `<h2 style="background: ${GRADIENT}; -webkit-background-clip: text; background-clip: text; color: transparent">Ship <span>${WORDS} <b><i>soon</i></b></span></h2>`,
  ],
  [
    'a first line in a colour of its own',
    `<style>.l { color: transparent } .l::first-line { color: #000 }</style><p class="l">${WORDS}</p>`,
  ],
  [
    'a drawing’s text in its own units',
    drawing('<text y="1" font-size=".8">', 'viewBox="0 0 10 2" width="400" height="80"'),
  ],
  [
    'a drawing’s text in a colour that isn’t its fill',
    `<div style="color: #fff">${drawing('<text y="20" fill="#000">')}</div>`,
  ],
  [
    'a font of one pixel, enlarged',
    `<div style="transform: scale(20); transform-origin: 0 0; height: 1px"><p style="font-size: 1px; margin: 0">${WORDS}</p></div><div style="height: 60px"></div>`,
  ],
  [
    'a box without height that lets out',
    `<div style="overflow: clip; overflow-clip-margin: 100px; height: 0"><p>${WORDS}</p></div>`,
  ],
  [
    'cut to a shape, enlarged',
    `<p style="transform: scale(0.5); clip-path: inset(0 0 0 300px); width: 400px; text-align: right">${WORDS}</p>`,
  ],
  ['cut to a circle at its side', `<p style="clip-path: circle(50px at 20px 5px)">${WORDS}</p>`],
  ['an indent', `<p style="text-indent: 40px; overflow: hidden">${WORDS}</p>`],
  [
    'an endless animation that shows it',
    `<style>@keyframes show { from { color: transparent } to { color: #000 } }</style><p style="color: transparent; animation: show 5s steps(1) infinite">${WORDS}</p>`,
  ],
  ['cut to a shape', `<p style="clip-path: circle(60%)">${WORDS}</p>`],
]

async function show(page: DrivenPage, body: string): Promise<void> {
  await page.evaluate((html) => {
    document.body.innerHTML = html
    document.querySelector<HTMLDialogElement>('#d')?.showModal()
    scrollTo(0, 0)
  }, body)
  // Waits for the text's animation of 1 ms to end. Otherwise styles of the previous text could still apply.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 80)))
}

function lineOf(text: string): string {
  return text.split('\n').find((line) => line.includes(WORDS)) ?? text
}

test("text that people can't see is preceded by the reason", MORE, async ({ openPage }) => {
  const page = await openPage()
  const { call } = await drive(page)
  for (const [how, label, body] of HIDDEN) {
    await show(page, body)
    const read = lineOf(await call('read_page'))
    expect.soft(read, how).toContain(`[hidden: ${label}]`)
    const found = lineOf(await call('find', { text: WORDS }))
    if (found.includes(WORDS)) expect.soft(found, `${how}, found`).toContain(`hidden: ${label}]`)
    await page.evaluate((words) => {
      for (const one of document.querySelectorAll('p')) {
        const heading = document.createElement('h3')
        heading.setAttribute('style', one.getAttribute('style') ?? '')
        heading.append(words)
        one.replaceWith(heading)
      }
    }, WORDS)
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 80)))
    if (body.includes('<p '))
      expect
        .soft(lineOf(await call('read_page')), `${how}, as a name`)
        .toContain(`[name hidden: ${label}]`)
  }
})

test('legitimately hidden text gets no label', MORE, async ({ openPage }) => {
  const page = await openPage()
  const { call } = await drive(page)
  // WebKit has no such margin, and cuts the words off.
  const hasMargin = await page.evaluate(() => CSS.supports('overflow-clip-margin: 1px'))
  for (const [what, body] of SEEN) {
    if (!hasMargin && body.includes('overflow-clip-margin')) continue
    await show(page, body)
    const line = lineOf(await call('read_page'))
    expect.soft(line, what).toContain(WORDS)
    expect.soft(line, what).not.toMatch(/hidden|sr-only/)
    expect
      .soft(await call('find', { text: WORDS }), `${what}, found`)
      .not.toMatch(/hidden:|sr-only/)
  }
})

test('zoom hides text if the browser has no minimum font size', MORE, async ({ openPage }) => {
  const page = await openPage({ body: `<p style="zoom: 0.01">${WORDS}</p>` })
  const { call } = await drive(page)
  // WebKitGTK shows no font of less than 9 px.
  const isTiny = await page.evaluate(
    () => Number.parseFloat(getComputedStyle(document.querySelector('p')!).fontSize) * 0.01 < 1,
  )
  const line = lineOf(await call('read_page'))
  if (isTiny) expect(line).toContain('[hidden: too small to see]')
  else expect(line).toBe(`- text: ${WORDS}`)
})
