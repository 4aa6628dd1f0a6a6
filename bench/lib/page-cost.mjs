/** Milliseconds that reading costs a page: right after opening, and after a small change. */

/** Processor time of the page's main thread, as the browser counts it. */
export async function mainThread(page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskTime = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  return firstAndAgain(page, async (method) => {
    const before = await taskTime()
    await page.evaluate(async (name) => void (await globalThis.pageReader[name]()), method)
    return (await taskTime()) - before
  })
}

/**
 * The longest task as the browser reports it, with the processor slowed down four times. Null if no task took 50 ms.
 */
export async function longestTask(page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return firstAndAgain(page, (method) =>
    page.evaluate(async (name) => {
      const pause = () => new Promise((resolve) => setTimeout(resolve, 300))
      let longest = null
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
      })
      // Not in the task that runs this very script.
      await pause()
      observer.observe({ entryTypes: ['longtask'] })
      await globalThis.pageReader[name]()
      await pause()
      observer.disconnect()
      return longest
    }, method),
  )
}

async function firstAndAgain(page, measure) {
  const first = await measure('read')
  await page.evaluate(async () => {
    const button = document.createElement('button')
    button.textContent = 'Something new'
    document.body.prepend(button)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)))
  })
  return { first, again: await measure('again') }
}
