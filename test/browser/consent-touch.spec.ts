import {
  attacked,
  begin,
  expectAnswers,
  HOST_FILE,
  openHost,
  use,
  whenAsked,
} from './support/consent-host.ts'
import { drivenPage } from './support/driven-page.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

// A finger's press: no driver but Chromium's makes one.

test.beforeEach(({ site }) => site.add(...HOST_FILE))

test(
  'a person approves with one tap, while the on-screen keyboard closes',
  MORE,
  async ({ openPage, context }) => {
    const body = `<input aria-label="Note" onblur="document.querySelector('#gap').style.height = '12px'"><div id="gap" style="height: 20px"></div>
    <button id="yes" style="height: 60px" onclick="approve()">Yes</button>`
    const host = await openHost(
      async (options) => drivenPage(await openPage(options)),
      body,
      'person',
    )
    await begin(host, [{ toolCalls: [use('destroy')] }, { text: 'Done.' }])
    await whenAsked(host)
    const [page] = context.pages()
    if (!page) throw new Error('The host has no page.')
    await page.getByLabel('Note').focus()
    const { x, y, width, height } = (await page.locator('#yes').boundingBox())!
    const cdp = await context.newCDPSession(page)
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await expectAnswers(host, 'true')
    await expect.poll(async () => (await attacked(host)).effects).toBe(1)
  },
)
