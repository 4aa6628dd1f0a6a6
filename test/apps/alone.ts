import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Does something while no other process does it; the file says who is at it. */
export async function alone(file: string, action: () => Promise<void>): Promise<void> {
  while (!take(file)) await new Promise((resolve) => setTimeout(resolve, 100))
  try {
    await action()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isAbandoned(file)) rmSync(file, { force: true })
    return false
  }
}

/** A process that was killed leaves its file behind. */
function isAbandoned(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // Between its creation and its first byte the file is empty.
    if (pid !== 0) process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
