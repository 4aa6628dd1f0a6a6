import type * as pageToolsEntry from '../../src/page-tools/index.ts'
import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE, inSlice } from './support/more.ts'

// Checks which pictures of the page a model gets, and where it clicks on them.

interface Seen {
  readonly text: string
  readonly type?: string
  readonly width?: number
  readonly height?: number
  /** Colours at the places asked for, as red,green,blue. */
  readonly colours?: readonly string[]
}

/** Calls `look`, and reads colours of what it gave, at places from 0 to 1. */
function look(
  page: DrivenPage,
  ref: string,
  places: readonly (readonly [number, number])[] = [],
): Promise<Seen> {
  return page.evaluate(
    async ({ ref: target, places: at }) => {
      const { callTool } = window as unknown as {
        callTool(name: string, input: object): Promise<string | [string, Blob]>
      }
      const output = await callTool('look', { ref: target })
      if (typeof output === 'string') return { text: output }
      const [text, blob] = output
      const image = await createImageBitmap(blob)
      const { width, height } = image
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context?.drawImage(image, 0, 0)
      const colours = at.map(([x, y]) => {
        const [r, g, b] =
          context?.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data ?? []
        return `${r},${g},${b}`
      })
      return { text, type: blob.type, width, height, colours }
    },
    { ref, places },
  )
}

/** An image of two halves, left and right, as a script makes it. */
const HALVES = `<script>
  function halves(left, right, width = 200, height = 100) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const context = canvas.getContext('2d')
    context.fillStyle = left
    context.fillRect(0, 0, width / 2, height)
    context.fillStyle = right
    context.fillRect(width / 2, 0, width / 2, height)
    return canvas
  }
</script>`

test('images, canvases and video frames are pictured as shown', async ({ openPage }) => {
  const page = await openPage({
    body: `${HALVES}
      <img alt="Halves" style="width: 300px; height: 150px; padding: 20px; border: 5px solid green">
      <img alt="Cover" style="width: 100px; height: 100px; object-fit: cover; object-position: right">
      <img alt="Large">
      <figure id="chart" role="figure" aria-label="Sales"><canvas id="canvas" width="300" height="150"></canvas><figcaption>Sales of March</figcaption></figure>
      <script>
        for (const image of document.querySelectorAll('img'))
          image.src = (image.alt === 'Large' ? halves('#f00', '#00f', 4000, 1000) : halves('#f00', '#00f')).toDataURL()
        document.querySelector('#canvas').getContext('2d').drawImage(halves('#0f0', '#ff0'), 0, 0, 300, 150)
      </script>`,
  })
  const { call } = await drive(page)
  const plain = await look(page, 'Halves', [
    [0.01, 0.01],
    [0.48, 0.5],
    [0.52, 0.5],
    [0.99, 0.99],
  ])
  expect(plain).toMatchObject({
    text: expect.stringContaining('Picture of img "Halves"') as unknown,
    type: 'image/png',
    width: 300,
    height: 150,
    colours: ['255,0,0', '255,0,0', '0,0,255', '0,0,255'],
  })
  expect(plain.text).toContain('300 × 150 pixels. Untrusted page content')
  expect((await look(page, 'Cover', [[0.1, 0.5]])).colours).toEqual(['0,0,255'])
  const large = await look(page, 'Large')
  expect(large.width).toBe(1568)
  expect(large.height).toBe(392)

  const outline = await call('read_page')
  const canvas = /canvas \[ref=(e\d+)\]/.exec(outline)?.[1] ?? ''
  for (const target of [canvas, 'Sales'])
    expect((await look(page, target, [[0.2, 0.5], [0.8, 0.5]])).colours).toEqual(['0,255,0', '255,255,0']) // prettier-ignore
})

test(
  'drawings are pictured with the page’s styles, symbols and HTML text',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<style>
        body { background: rgb(0, 0, 50) }
        .bar { fill: rgb(255, 0, 0) }
        .moved { transform: translate(50px, 0) }
        .none { display: none }
      </style>
      <svg width="0" height="0" style="position: absolute"><defs>
        <symbol id="dot" viewBox="0 0 10 10"><rect width="10" height="10" fill="currentColor"/></symbol>
        <linearGradient id="shade"><stop offset="0" stop-color="#0ff"/><stop offset="1" stop-color="#0ff"/></linearGradient>
      </defs></svg>
      <svg id="chart" width="200" height="100">
        <rect class="bar" width="50" height="100"/>
        <rect class="bar moved" width="50" height="50" style="fill: var(--no, rgb(0, 255, 0))"/>
        <use href="#dot" x="100" width="50" height="100" style="color: rgb(255, 255, 0)"/>
        <rect x="150" width="50" height="50" fill="url(#shade)"/>
        <rect class="none" width="200" height="100"/>
        <foreignObject x="150" y="50" width="50" height="50"><div xmlns="http://www.w3.org/1999/xhtml"
          style="font: 900 60px/50px sans-serif; color: rgb(255, 0, 255)">███</div></foreignObject>
        <image href="/never.png" width="10" height="10"/>
        <script>window.ran = (window.ran ?? 0) + 1</script>
      </svg>`,
    })
    const { call } = await drive(page)
    const ref = /img \[ref=(e\d+)\]/.exec(await call('read_page'))?.[1] ?? ''
    const seen = await look(page, ref, [
      [0.1, 0.9],
      [0.37, 0.25],
      [0.37, 0.75],
      [0.62, 0.5],
      [0.87, 0.25],
      [0.87, 0.75],
    ])
    expect(seen).toMatchObject({
      width: 600,
      height: 300,
      colours: ['255,0,0', '0,255,0', '0,0,50', '255,255,0', '0,255,255', '255,0,255'],
    })
    expect(seen.text).toContain('What comes from other files is not in it.')
    expect(await page.evaluate(() => (window as unknown as { ran: number }).ran)).toBe(1)
  },
)

const KEPT: Readonly<Record<string, readonly [html: string, why: RegExp]>> = {
  'a masked image': ['<img data-offstage-mask alt="it" src="§">', /^unsupported: .*masked/],
  'an image in a masked part': ['<p class="iban"><img alt="it" src="§"></p>', /masked/],
  'an image in a denied part': [
    '<p id="denied"><img alt="it" src="§"></p>',
    /^(outside|not-found)/,
  ],
  'a canvas with a masked part': [
    '<canvas aria-label="it"><b data-offstage-mask>1</b></canvas>',
    /shows something that is masked/,
  ],
  'a drawing with a masked text': [
    '<svg aria-label="it" width="99" height="99"><text y="20" class="iban">DE1</text></svg>',
    /shows something that is masked/,
  ],
  'a drawing with a masked HTML part': [
    '<svg aria-label="it" width="99" height="99"><foreignObject width="99" height="99"><input type="password" value="hunter2secret"></foreignObject></svg>',
    /shows something that is masked/,
  ],
  'a drawing that uses a masked part': [
    '<svg width="0" height="0"><g id="card" data-offstage-mask><rect width="9" height="9"/></g></svg><svg aria-label="it" width="99" height="99"><use href="#card"/></svg>',
    /shows something that is masked/,
  ],
  'a drawing that uses, by another one, a masked part': [
    '<svg width="0" height="0"><g id="card" class="iban"><rect width="9" height="9"/></g><g id="two"><use href="#card"/></g></svg><svg aria-label="it" width="99" height="99"><use href="#two"/></svg>',
    /shows something that is masked/,
  ],
  'a drawing that uses a part in a masked one': [
    '<div class="iban"><svg width="0" height="0"><symbol id="card"><rect width="9" height="9"/></symbol></svg></div><svg aria-label="it" width="99" height="99"><use href="#card"/></svg>',
    /shows something that is masked/,
  ],
  'a drawing that uses a part in a denied one': [
    '<div id="denied"><svg width="0" height="0"><symbol id="card"><rect width="9" height="9"/></symbol></svg></div><svg aria-label="it" width="99" height="99"><use href="#card"/></svg>',
    /shows something that is masked/,
  ],
  'a drawing filled from a denied part': [
    '<div id="denied"><svg width="0" height="0"><pattern id="card" width="9" height="9"><rect width="9" height="9"/></pattern></svg></div><svg aria-label="it" width="99" height="99"><rect width="9" height="9" fill="url(#card)"/></svg>',
    /shows something that is masked/,
  ],
  'a drawing that uses a part of the agent’s own': [
    '<offstage-part><svg width="0" height="0"><symbol id="card"><rect width="9" height="9"/></symbol></svg></offstage-part><svg aria-label="it" width="99" height="99"><use href="#card"/></svg>',
    /shows something that is masked/,
  ],
  'a denied picture, by an area of it elsewhere': [
    '<p id="denied"><img usemap="#map" width="50" height="50" src="§"></p><map name="map"><area aria-label="it" href="#1" shape="default"></map>',
    /^outside: /,
  ],
  'a masked picture, by an area of it elsewhere': [
    '<p class="iban"><img usemap="#map" width="50" height="50" src="§"></p><map name="map"><area aria-label="it" href="#1" shape="default"></map>',
    /is masked/,
  ],
  'a drawing of what a field keeps': [
    '<input type="password" value="hunter2secret"><svg aria-label="it" width="99" height="99"><text y="20">is hunter2secret</text></svg>',
    /shows something that is masked/,
  ],
  'a drawing of it, letter by letter': [
    '<input type="password" value="hunter2secret"><svg aria-label="it" width="99" height="99"><text y="20"><tspan>hunt</tspan><tspan>er2</tspan><tspan>secret</tspan></text></svg>',
    /shows something that is masked/,
  ],
  'a transparent image': ['<img alt="it" style="opacity: 0" src="§">', /^hidden: .*transparent/],
  'an image that is all but transparent': [
    '<p style="opacity: 0.01"><img alt="it" src="§"></p>',
    /^hidden: .*nobody can see it \(transparent\)/,
  ],
  'an image that is clipped away': [
    '<img alt="it" style="clip-path: inset(100%)" src="§">',
    /^hidden: .*nobody can see it/,
  ],
  'an image beside the page': [
    '<img alt="it" style="position: absolute; left: -9999px" src="§">',
    /^hidden: .*nobody can see it \(off the page\)/,
  ],
  'a drawing of very many parts elsewhere': [
    `<svg width="0" height="0"><g id="many">${'<path d="M0 0h1"/>'.repeat(6000)}</g></svg><svg aria-label="it" width="99" height="99"><use href="#many"/></svg>`,
    /^unsupported: .*more than 5000 parts/,
  ],
  'an image that is blurred': [
    '<p style="filter: blur(9px)"><img alt="it" src="§"></p>',
    /^hidden: .*blurred/,
  ],
  'an image that is blurred by little, many times': [
    '<p style="filter: blur(1.5px)"><b style="filter: blur(1.5px)"><img alt="it" src="§"></b></p>',
    /^hidden: .*blurred/,
  ],
  'an image without a picture': ['<img alt="it" width="50" height="50">', /none is loaded/],
  'two images': ['<figure aria-label="it"><img alt="a" src="§"><img alt="b" src="§"></figure>', /^ambiguous: .*2 pictures: img "a".*img "b"/], // prettier-ignore
  'a text': ['<article aria-label="it">Text</article>', /^unsupported: .*shows none/],
}

const DATA = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="red"/></svg>')}`

for (const [what, [html, why]] of Object.entries(KEPT))
  test(`no picture is taken of ${what}`, inSlice(what.includes('denied')), async ({ openPage }) => {
    const page = await openPage({ body: html.replaceAll('§', DATA) })
    const { call } = await drive(page, { mask: ['.iban'], deny: ['#denied'] })
    // A masked picture has no name.
    const ref = /\[ref=(e\d+)\]/.exec(await call('find', { role: 'img' }))?.[1]
    const seen = await look(page, /^a[n ]* (masked )?image/.test(what) && ref ? ref : 'it')
    expect(seen.type).toBeUndefined()
    expect(seen.text).toMatch(why)
    expect(seen.text).not.toContain('hunter2')
  })

test('a picture is taken after an animation has ended with no blur', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<p style="filter: blur(0px)"><img alt="it" src="${DATA}"></p>`,
  })
  await drive(page)
  expect((await look(page, 'it', [[0.5, 0.5]])).colours).toEqual(['255,0,0'])
})

test(
  'cross-origin images without CORS report that, and so do canvases with one',
  MORE,
  async ({ openPage, site }) => {
    site.add('/red.svg', {
      type: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="red"/></svg>',
    })
    const page = await openPage({
      body: `<img alt="own" src="/red.svg"><img alt="foreign">
      <canvas aria-label="tainted"></canvas><script type="module">
        const image = document.querySelector('[alt=foreign]')
        image.src = location.origin.replace('127.0.0.1', 'localhost') + '/red.svg'
        await image.decode()
        document.querySelector('canvas').getContext('2d').drawImage(image, 0, 0)
        document.body.dataset.drawn = ''
      </script>`,
    })
    await expect.poll(() => page.evaluate(() => 'drawn' in document.body.dataset)).toBe(true)
    await drive(page)
    expect((await look(page, 'own', [[0.5, 0.5]])).colours).toEqual(['255,0,0'])
    for (const name of ['foreign', 'tainted'])
      expect((await look(page, name)).text).toMatch(/^unsupported: .*another site.*CORS/)
  },
)

test('a click goes to the named place of the picture', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<div style="height: 1500px">Above</div>
      <div style="height: 300px; overflow: auto"><canvas aria-label="Map" width="800" height="2000"
        style="border: 10px solid; padding: 15px" onclick="log.push([event.offsetX - 15, event.offsetY - 15, event.type, event.button])"></canvas></div>
      <section id="part" aria-label="Part" style="width: 200px; height: 100px; position: relative">
        <button style="position: absolute; left: 150px; top: 0; width: 50px; height: 100px" onclick="log.push('pay')">Pay</button></section>
      <div style="position: relative"><canvas aria-label="Under" width="200" height="100"></canvas><aside aria-label="Cover"
        style="position: absolute; inset: 0 auto 0 0; width: 100px">Cover</aside></div>
      <script>var log = []</script>`,
  })
  const { call } = await drive(page)
  const log = () => page.evaluate(() => (window as unknown as { log: unknown[] }).log.splice(0))
  expect(await call('click', { ref: 'Map', at: { x: 0.25, y: 0.9 } })).toMatch(
    /^Clicked canvas "Map" .*\[ref=e\d+\] at 25 % from the left and 90 % from the top\./,
  )
  expect(await log()).toEqual([[200, 1800, 'click', 0]])
  await call('click', { ref: 'Map', at: { x: 0, y: 0 } })
  await call('click', { ref: 'Map', at: { x: 1, y: 1 } })
  expect(await log()).toEqual([
    [0, 0, 'click', 0],
    [799, 1999, 'click', 0],
  ])
  expect(await call('click', { ref: 'Part', at: { x: 0.9, y: 0.5 } })).toMatch(
    /^covered: At this place of region "Part".* is button "Pay" \[ref=e\d+\]\. Use its ref\./,
  )
  expect(await call('click', { ref: 'Under', at: { x: 0.2, y: 0.5 } })).toMatch(/^covered: .*Cover/)
  expect(await call('click', { ref: 'Under', at: { x: 0.8, y: 0.5 } })).toMatch(/^Clicked/)
  expect(await log()).toEqual([])
})

test(
  'WebGL is pictured as drawn, and reported as empty if it can’t be read',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<canvas aria-label="moves" width="60" height="60"></canvas><canvas aria-label="rests" width="60" height="60"></canvas>
      <script>
        const [moves, rests] = [...document.querySelectorAll('canvas')].map((one) => one.getContext('webgl'))
        const paint = (gl) => { gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT) }
        if (rests) paint(rests)
        const go = () => { paint(moves); requestAnimationFrame(go) }
        if (moves) go()
        Object.assign(window, { hasWebGl: Boolean(moves && rests) })
      </script>`,
    })
    const hasWebGl = await page.evaluate(
      () => (window as unknown as { hasWebGl: boolean }).hasWebGl,
    )
    test.skip(!hasWebGl, 'This browser draws no WebGL on this machine.')
    await drive(page)
    expect((await look(page, 'moves', [[0.5, 0.5]])).colours).toEqual(['255,0,0'])
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
    expect((await look(page, 'rests')).text).toContain('It is empty, or drawn in a way')
  },
)

test('a picture is sent as an image, or as text if unsupported, and taints', async ({
  openPage,
  model,
}) => {
  const page = await openPage({ hasPackage: true, body: `<img alt="it" src="${DATA}">` })
  const taints = []
  for (const name of ['mock', 'deepseek-chat']) {
    model.enqueue(callTools([{ id: name, name: 'look', input: { ref: 'it' } }]), say('Red.'))
    taints.push(
      await page.evaluate(
        async ({ url, name: id }) => {
          const { pageTools } = (await import(
            '/dist/page-tools.js' as string
          )) as typeof pageToolsEntry
          const agent = window.offstage.createAgent({
            model: { provider: 'openai-compatible', model: id, baseURL: url },
            tools: pageTools({ tools: 'read' }),
          })
          await agent.prepare()
          const talk = agent.conversation(id)
          await agent.run('What is it?', { conversationId: id }).result
          const { taint } = await new Promise<ReturnType<typeof talk.getSnapshot>>((resolve) => {
            const check = () => {
              const now = talk.getSnapshot()
              if (now.taint.length > 0) resolve(now)
            }
            talk.subscribe(check)
            check()
          })
          await agent.dispose()
          return taint.map(({ origin }) => origin)
        },
        { url: model.baseURL, name },
      ),
    )
  }
  const [, withImage = '', , inWords = ''] = model.requests.map(({ body }) => JSON.stringify(body))
  expect(withImage).toContain('"image_url":{"url":"data:image/png;base64,')
  expect(withImage).toContain('Picture of img')
  expect(inWords).not.toContain('base64')
  expect(inWords).toContain('A file was left out: image/png')
  expect(taints).toEqual([['Look at a picture'], ['Look at a picture']])
})
