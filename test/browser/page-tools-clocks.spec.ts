import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'

// What changes by itself is no effect of an action; what an action does to it is one.

const TICKING = `<p>Time <b id="clock"></b></p><p id="replaced"></p><p>Left <i id="left"></i> s</p><p id="news"></p>
  <button>Nothing</button><button id="reset">Reset</button><button id="stop">Stop</button><button id="add">Add</button><p>Cart <b id="cart">2</b></p>
  <script>
    const at = (id) => document.querySelector('#' + id)
    const pad = (number) => String(number).padStart(2, '0')
    let [seconds, left, turn, isStopped] = [3600, 500, 0, false]
    const show = () => {
      at('clock').textContent = isStopped ? 'Stopped' : '01:' + pad(Math.floor(seconds / 60) % 60) + ':' + pad(seconds % 60)
      at('replaced').innerHTML = '<em>Since ' + seconds + ' s</em>'
      at('left').textContent = left
      at('news').textContent = 'News: ' + ['rain', 'sun', 'snow', 'wind', 'hail'][turn % 5]
    }
    setInterval(() => { seconds += 1; left -= 1; turn += 1; show() }, 250)
    show()
    at('reset').onclick = () => { left = 9000; show() }
    at('stop').onclick = () => { isStopped = true; show() }
    at('add').onclick = () => { at('cart').textContent = Number(at('cart').textContent) + 1 }
  </script>`

test('clocks, countdowns and tickers are left out of reports, but not what is done to them', async ({
  openPage,
}) => {
  const page = await openPage({ body: TICKING })
  const { call } = await drive(page)
  const wait = (): Promise<void> =>
    page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1200)))
  await call('read_page')
  await wait()
  // Clocks are known by then; words only once three of them have come.
  expect(await call('click', { ref: 'Nothing' })).not.toMatch(/Since|01:0\d|Left/)
  await expect(async () => {
    await wait()
    expect(await call('click', { ref: 'Nothing' })).toContain('Nothing changed.')
  }).toPass()
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
})

test('a number that an action and others change alike is told', async ({ openPage }) => {
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
