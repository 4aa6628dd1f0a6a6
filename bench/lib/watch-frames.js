/** The longest gap between two turns of the event loop. */
export function watchFrames() {
  const { port1, port2 } = new MessageChannel()
  let longest = 0
  let last = performance.now()
  let isOn = true
  port1.onmessage = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (isOn) port2.postMessage(null)
  }
  port2.postMessage(null)
  return {
    stop: () => {
      isOn = false
      return longest
    },
  }
}
