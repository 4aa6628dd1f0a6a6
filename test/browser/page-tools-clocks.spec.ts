import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Changes that happen on their own aren't effects of an action. Changes that the action makes to such parts are.

const TICKING = `<p>Time <b id="clock"></b></p><p id="replaced"></p><p>Left <i id="left"></i> s</p><p id="news"></p>
  <button>Nothing</button><button id="reset">Reset</button><button id="stop">Stop</button><button id="add">Add</button><p>Cart <b id="cart">2</b></p>
  <script>
    const at = (id) => document.querySelector('#' + id)
    const pad = (number) => String(number).padStart(2, '0')
    let [seconds, left, turn, from, isStopped] = [0, 0, 0, 500, false]
    window.ticks = 0
    const show = () => {
      at('clock').textContent = isStopped ? 'Stopped' : '01:' + pad(Math.floor(seconds / 60) % 60) + ':' + pad(seconds % 60)
      at('replaced').innerHTML = '<em>Since ' + seconds + ' s</em>'
      at('left').textContent = left
      at('news').textContent = 'News: ' + ['rain', 'sun', 'snow', 'wind', 'hail'][turn % 5]
    }
    // By the time that has passed, however late a timer is.
    const tick = () => {
      turn = Math.floor(performance.now() / 250)
      seconds = 3600 + turn
      left = from - turn
      show()
    }
    setInterval(() => { window.ticks += 1; tick() }, 250)
    tick()
    at('reset').onclick = () => { from = 9000 + turn; tick() }
    at('stop').onclick = () => { isStopped = true; show() }
    at('add').onclick = () => { at('cart').textContent = Number(at('cart').textContent) + 1 }
  </script>`

test(
  'clocks, countdowns and tickers are left out of reports, but actions on them are not',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: TICKING })
    const { call } = await drive(page)
    // All five words, and the first of them again.
    const wait = (): Promise<void> =>
      page.evaluate(async () => {
        const seen = new Set<string>()
        const news = document.querySelector('#news')!
        const from = (window as unknown as { ticks: number }).ticks
        while (seen.size < 5 || (window as unknown as { ticks: number }).ticks < from + 8) {
          seen.add(news.textContent)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      })
    await call('read_page')
    await wait()
    expect(await call('click', { ref: 'Nothing' })).toContain('Nothing changed.')
    await wait()
    const added = await call('click', { ref: 'Add' })
    expect(added).toMatch(/<changed> text: 3|<new> text: 3|: 3/)
    expect(added).not.toMatch(/Since|01:0\d|News/)
    await wait()
    const reset = await call('click', { ref: 'Reset' })
    expect(reset).toMatch(/(?:8999|9000|899\d)/)
    expect(reset).not.toMatch(/Since|01:0\d|News/)
    await wait()
    const said = await call('click', { ref: 'Stop' })
    expect(said).toContain('Stopped')
    expect(said).not.toMatch(/Since|News/)
  },
)

const CLOCK = `<p id="clock">12:00:00</p><p>Ends in <i id="left">90</i> s</p><p>Length <b id="length">0:30</b></p><p id="state"></p>
  <button id="nothing">Nothing</button><button id="save">Save</button><button id="jump">Jump</button><button id="longer">Longer</button>
  <script>
    const at = (id) => document.querySelector('#' + id)
    let seconds = 43200
    const show = () => {
      at('clock').textContent = new Date(seconds * 1000).toISOString().slice(11, 19)
      at('left').firstChild.nodeValue = 43290 - seconds
    }
    const tick = () => { seconds += 1; show() }
    at('nothing').onclick = () => setTimeout(tick, 100)
    at('save').onclick = () => { setTimeout(tick, 100); setTimeout(() => { at('state').textContent = 'Saved' }, 380) }
    at('jump').onclick = () => setTimeout(() => { seconds += 30; show() }, 100)
    at('longer').onclick = () => { at('length').textContent = '0:31' }
  </script>`

test('the first tick of a clock is no effect, and ends no wait', MORE, async ({ openPage }) => {
  const page = await openPage({ body: CLOCK })
  const { call } = await drive(page)
  await call('read_page')
  expect(await call('click', { ref: 'Nothing' })).toContain('Nothing changed.')
  const saved = await call('click', { ref: 'Save' })
  expect(saved).toContain('Saved')
  expect(saved).not.toMatch(/12:0|88/)
})

test(
  'a clock that jumps is reported, and so is a duration extended by an action',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: CLOCK })
    const { call } = await drive(page)
    await call('read_page')
    expect(await call('click', { ref: 'Longer' })).toContain('0:31')
    const jumped = await call('click', { ref: 'Jump' })
    expect(jumped).toContain('12:00:30')
    expect(jumped).toContain('60')
  },
)

test('a number changed by both an action and others is reported', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<button onclick="count.textContent = Number(count.textContent) + 1">Add</button> In cart: <b id="count">2</b>`,
  })
  const { call } = await drive(page)
  await call('read_page')
  // Somebody else's device adds one now and then.
  await page.evaluate(() => (document.querySelector('#count')!.textContent = '3'))
  expect(await call('click', { ref: 'Add' })).toMatch(/: 4/)
  await page.evaluate(() => (document.querySelector('#count')!.textContent = '5'))
  expect(await call('click', { ref: 'Add' })).toMatch(/: 6/)
})
