import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const accounts = new AsyncLocalStorage()
let countedSeconds = secondsOfChildren()

/**
 * Runs an action and measures the CPU seconds of the programs that `run` starts for it, with all of their children.
 *
 * @template Value
 * @param {() => Promise<Value>} action
 * @returns {Promise<{ value: Value, cpuSeconds: number | undefined }>} undefined where the system doesn't tell
 */
export async function withCpuTime(action) {
  const account = { seconds: 0 }
  const value = await accounts.run(account, action)
  return { value, cpuSeconds: countedSeconds === undefined ? undefined : account.seconds }
}

/**
 * Called before a program starts; the result is called when it has ended. The system adds a program's time to that
 * of this process's children when it ends, so what was added since the last end is the program's.
 */
export function openAccount() {
  const account = accounts.getStore()
  return () => {
    const seconds = secondsOfChildren()
    if (account && seconds !== undefined) account.seconds += seconds - countedSeconds
    countedSeconds = seconds
  }
}

/** CPU seconds of all children that have ended; undefined on systems without /proc. */
function secondsOfChildren() {
  if (process.platform !== 'linux') return undefined
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
  const [userTicks, systemTicks] = fields.slice(13, 15).map(Number)
  return (userTicks + systemTicks) / TICKS_PER_SECOND
}
