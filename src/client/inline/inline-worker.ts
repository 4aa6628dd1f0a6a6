import 'virtual:offstage-worker-source'
import { startTrusted } from '../worker-link/trusted-worker.ts'
import { OffstageError } from '../../protocol/error.ts'

/** The classic script's own `<script>` element, if any. The build sets it, in the classic script only. */
declare const OFFSTAGE_SCRIPT: HTMLScriptElement | null | undefined

/** Reads the packed worker, which `inline-worker.js` sets as a global. */
const readPacked = (): unknown => Reflect.get(globalThis, Symbol.for('offstage.worker'))

/**
 * Read now: another release on the page may replace the global later. The classic script loads the packed worker on
 * demand.
 */
let packed = OFFSTAGE_SCRIPT ? undefined : readPacked()

/**
 * Creates the default worker without its own file. The worker is a classic script, because pages without an origin
 * (`file://`, sandboxed frames) may not load modules. Needs `worker-src blob:` if a CSP is set.
 */
export async function createInlineWorker(): Promise<Worker> {
  const url = URL.createObjectURL(await unpack())
  const release = (): void => URL.revokeObjectURL(url)
  try {
    const worker = startTrusted(() => new Worker(url))
    worker.addEventListener('message', release, { once: true })
    worker.addEventListener('error', release, { once: true })
    // Releases the URL here, too: a worker terminated before its first message sends neither event.
    worker.terminate = () => {
      release()
      Worker.prototype.terminate.call(worker)
    }
    return worker
  } catch (thrown) {
    release()
    throw thrown
  }
}

async function unpack(): Promise<Blob> {
  if (typeof DecompressionStream === 'undefined')
    throw new OffstageError(
      'worker-load-failed',
      'this browser lacks DecompressionStream, which unpacks the inline worker. Serve the worker as a file.',
      { details: { reason: 'unsupported' } },
    )
  const bytes = Uint8Array.from(atob(await loadPacked()), (char) => char.charCodeAt(0))
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Blob([await new Response(text).arrayBuffer()], { type: 'text/javascript' })
}

/** The worker, gzipped, in base64. */
async function loadPacked(): Promise<string> {
  if (packed === undefined && OFFSTAGE_SCRIPT) {
    await loadScript(OFFSTAGE_SCRIPT)
    packed = readPacked()
  }
  if (typeof packed === 'string') return packed
  throw importError('inline-worker.js holds no worker. Deploy all files of dist.')
}

/**
 * Loads a file as a script, which needs no CORS and no origin. If Trusted Types refuse the script's address, loads the
 * file as a module, which they allow.
 */
async function loadScript({ src, nonce, crossOrigin }: HTMLScriptElement): Promise<unknown> {
  const { href } = new URL('inline-worker.js', src || document.baseURI)
  const script = Object.assign(document.createElement('script'), { nonce, crossOrigin })
  try {
    script.src = href
  } catch {
    return import(/* @vite-ignore */ href).catch(() => failLoad(href))
  }
  const loading = new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = reject
  })
  document.documentElement.append(script)
  return loading.catch(() => failLoad(href)).finally(() => script.remove())
}

function failLoad(href: string): never {
  throw importError(`${href} can't be loaded. Deploy it beside offstage.global.js.`)
}

function importError(message: string): OffstageError {
  return new OffstageError('worker-load-failed', message, { details: { reason: 'import' } })
}
