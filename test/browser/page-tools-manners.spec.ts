import type * as pageToolsEntry from '../../src/page-tools/index.ts'
import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'
import { refIn } from './support/ref-in.ts'

// Checks that the tools leave nothing behind on a page.

interface Kept {
  readonly timers: Map<number, string>
  readonly observers: Map<MutationObserver, string>
  readonly listeners: ReadonlySet<string>
  readonly natives: ReadonlyMap<string, unknown>
}

const NATIVES = [
  'alert',
  'confirm',
  'prompt',
  'fetch',
  'setTimeout',
  'requestAnimationFrame',
  'MutationObserver',
  'EventTarget.prototype.addEventListener',
  'EventTarget.prototype.dispatchEvent',
  'Event.prototype.preventDefault',
  'Element.prototype.attachShadow',
  'Element.prototype.setPointerCapture',
  'HTMLElement.prototype.click',
  'HTMLElement.prototype.focus',
  'HTMLInputElement.prototype.value',
  'HTMLInputElement.prototype.checked',
  'History.prototype.pushState',
  'Node.prototype.appendChild',
]

/** Writes down what is started and not ended, and how the page's own functions are. */
function keepCount(names: readonly string[]): void {
  const timers = new Map<number, string>()
  const observers = new Map<MutationObserver, string>()
  const { setTimeout: start, clearTimeout: stop, MutationObserver: Observer } = window
  Object.assign(window, {
    setTimeout(callback: () => void, ms?: number) {
      const timer = start(() => {
        timers.delete(timer)
        callback()
      }, ms) as unknown as number
      timers.set(timer, String(new Error(`${ms} ms`).stack))
      return timer
    },
    clearTimeout(timer: number) {
      timers.delete(timer)
      stop(timer)
    },
    MutationObserver: class extends Observer {
      override observe(...of: Parameters<MutationObserver['observe']>): void {
        observers.set(this, String(new Error('observing').stack))
        super.observe(...of)
      }
      override disconnect(): void {
        observers.delete(this)
        super.disconnect()
      }
    },
  })
  const listeners = new Set<string>()
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype
  const ids = new WeakMap<object, number>()
  let count = 0
  const nameOf = (target: EventTarget, type: string, listener: object | null): string => {
    if (listener && !ids.has(listener)) ids.set(listener, (count += 1))
    return `${target.constructor.name} ${type} ${listener && ids.get(listener)}`
  }
  const shared = new Set<EventTarget>([window, document, document.documentElement, document.body])
  Object.assign(EventTarget.prototype, {
    addEventListener(this: EventTarget, ...of: Parameters<typeof add>) {
      const [type, listener, options] = of
      const signal = typeof options === 'object' ? options.signal : undefined
      if (shared.has(this) && !signal?.aborted) {
        const name = nameOf(this, type, listener)
        listeners.add(name)
        if (signal) add.call(signal, 'abort', () => listeners.delete(name))
      }
      add.apply(this, of)
    },
    removeEventListener(this: EventTarget, ...of: Parameters<typeof remove>) {
      listeners.delete(nameOf(this, of[0], of[1]))
      remove.apply(this, of)
    },
  })
  const native = (name: string): unknown => {
    const path = name.split('.')
    const last = path.pop() ?? ''
    const holder = path.reduce<object>((at, key) => Reflect.get(at, key) as object, window)
    return JSON.stringify(Object.getOwnPropertyDescriptor(holder, last), (_, value: unknown) =>
      typeof value === 'function' ? Function.prototype.toString.call(value) : value,
    )
  }
  const natives = new Map(names.map((name) => [name, native(name)]))
  const changed = (): string[] => names.filter((name) => native(name) !== natives.get(name))
  Object.assign(window, { kept: { timers, observers, listeners }, changed })
}

const BODY = `<button onclick="confirm('Really?')" onpointerdown="during = changed()">Go</button><label>Name <input></label>
  <label>Letter <select><option>a<option>b</select></label><label>Level <input type="range"></label>
  <div id="rich" contenteditable role="textbox" aria-label="Rich">rich</div><p draggable="true" role="listitem" ondragend="during.push(...changed())">Card</p>
  <div role="group" aria-label="Slot" style="height: 40px">slot</div><div style="height: 3000px"></div><button>Far</button>`

test('release() leaves the page as it was', async ({ openPage }) => {
  const page = await openPage({ body: BODY })
  await page.evaluate(keepCount, NATIVES)
  const left = await page.evaluate(async () => {
    const tools = (await import('/dist/page-tools.js' as string)) as typeof pageToolsEntry
    const limits = tools.createPage({ dialogs: 'accept', showActions: true })
    const options = { page: limits }
    await tools.snapshot(undefined, options)
    await tools.click('Go', options)
    await tools.typeText('Name', 'Ada', { ...options, enter: true })
    await tools.fillForm(
      [
        { target: 'Level', value: 7 },
        { target: 'Rich', value: 'new' },
      ],
      options,
    )
    await tools.selectOption('Letter', ['b'], options)
    await tools.pressKey('Control+A', options)
    await tools.drag('Card', { to: 'Slot' }, options)
    await tools.hover('Far', options)
    await tools.scroll({ ...options, direction: 'top' })
    await tools.highlight('Far', { ...options, note: 'Here' })
    const missing = await tools.waitFor({ text: 'Never', timeoutMs: 50, ...options }).catch(String)
    limits.release()
    const { kept, changed } = window as unknown as { kept: Kept; changed: () => string[] }
    return {
      missing,
      changed: changed(),
      during: [...new Set((window as unknown as { during: string[] }).during)],
      // A WebDriver has timers of its own in the page.
      timers: [...kept.timers.values()].filter((stack) => stack.includes('/dist/')),
      observers: [...kept.observers.values()],
      listeners: [...kept.listeners],
      hands: document.querySelectorAll('offstage-hands').length,
    }
  })
  const { missing, during, ...kept } = left
  expect(missing).toContain('did not appear')
  expect(during).toEqual(['alert', 'confirm', 'prompt'])
  expect(kept).toEqual({ changed: [], timers: [], observers: [], listeners: [], hands: 0 })
})

test('two pages that act at once leave the functions of the window as they were', async ({
  openPage,
}) => {
  const page = await openPage({ body: '<button>One</button><button>Two</button>' })
  const isSame = await page.evaluate(async () => {
    const tools = (await import('/dist/page-tools.js' as string)) as typeof pageToolsEntry
    const { open, confirm } = window
    const one = tools.createPage({ dialogs: 'accept' })
    const two = tools.createPage({ dialogs: 'accept' })
    // Loads the code first, so that the two overlap.
    await tools.click('One', { page: one })
    // Hovering waits longer, so the first one ends first.
    const acting = [tools.click('One', { page: one }), tools.hover('Two', { page: two })]
    await Promise.all(acting)
    return [window.open === open, window.confirm === confirm]
  })
  expect(isSame).toEqual([true, true])
})

test('a page whose window.open is locked can be used, and gets its dialogs back', async ({
  openPage,
}) => {
  const page = await openPage({ body: '<button>Go</button>' })
  const seen = await page.evaluate(async () => {
    const tools = (await import('/dist/page-tools.js' as string)) as typeof pageToolsEntry
    const { confirm, open } = window
    Object.defineProperty(window, 'open', { value: open, writable: false, configurable: false })
    const { text } = await tools.click('Go', { page: tools.createPage({ dialogs: 'accept' }) })
    return { text, isBack: window.confirm === confirm }
  })
  expect(seen).toEqual({ text: expect.stringContaining('Clicked'), isBack: true })
})

test('a newly drawn field is found by its label', MORE, async ({ openPage }) => {
  const page = await openPage({ body: '<div id="part"><label>Old <input></label></div>' })
  const typed = await page.evaluate(async () => {
    const tools = (await import('/dist/page-tools.js' as string)) as typeof pageToolsEntry
    const limits = tools.createPage({})
    await tools.snapshot(undefined, { page: limits })
    const part = document.querySelector('#part')
    if (part) part.innerHTML = '<label>New <input></label>'
    await tools.typeText('New', 'Ada', { page: limits })
    limits.release()
    return document.querySelector('input')?.value
  })
  expect(typed).toBe('Ada')
})

test('a click costs as many styles on a large page as on a small one', async ({ openPage }) => {
  const costs: number[] = []
  for (const rows of [100, 1000]) {
    const page = await openPage({
      body: `<button id="go">Go</button><output>0</output><main></main><script>
        document.querySelector('main').innerHTML = Array.from({ length: ${rows} }, (_, row) => '<section><div><b>Item ' + row + '</b><span><button>Add ' + row + '</button></span></div></section>').join('')
        go.onclick = () => (document.querySelector('output').textContent = 'Counted')
        window.styles = 0
        const { getComputedStyle: original } = window
        window.getComputedStyle = (...args) => { window.styles += 1; return original(...args) }
      </script>`,
    })
    const { call } = await drive(page)
    const styles = () => page.evaluate(() => (window as unknown as { styles: number }).styles)
    const ref = refIn(await call('read_page'), /button "Go"/)
    const read = await styles()
    // A read looks at each element, and again at those that it shows.
    expect(read).toBeLessThan(
      4 * (await page.evaluate(() => document.querySelectorAll('*').length)),
    )
    expect(await call('click', { ref })).toContain('Counted')
    costs.push((await styles()) - read)
  }
  const [small = 0, large = 0] = costs
  expect(small).toBeGreaterThan(0)
  expect(large).toBeLessThan(small + 20)
})
