import { type Cause, type FailedStart, shown } from './cause.ts'
import { findSyntaxError } from './find-syntax-error.ts'
import { type FileLook, hasPageEmbedderPolicy, isJavaScript, lookAtFile } from './look-at-file.ts'

type Answer = Extract<FileLook, { type: 'answer' }>

/** Finds why the browser refused a worker file without an error message. */
export async function fileCause(start: FailedStart): Promise<Cause | undefined> {
  const look = await lookAtFile(start.url, start.signal)
  const file = shown(start.url)
  switch (look.type) {
    case 'answer':
      return answerCause(start, look)
    case 'redirect':
      return {
        reason: 'cross-origin',
        message: `${file} redirects, most likely to another origin, from which no worker is loaded. Serve it on the page's own origin.`,
      }
    case 'none':
      return look.offline
        ? {
            reason: 'offline',
            message: `${file} could not be loaded: the browser is offline.`,
          }
        : {
            reason: 'network',
            message: `${file} could not be loaded: the server doesn't answer, or broke off.`,
          }
    case 'unknown':
      return undefined
    default:
      return look satisfies never
  }
}

async function answerCause(start: FailedStart, look: Answer): Promise<Cause> {
  const { status, contentType, text } = look
  const file = shown(start.url)
  const answers = `The server answers ${file}${look.finalUrl === start.url?.href ? '' : `, after a redirect to ${shown(new URL(look.finalUrl))},`}`
  if (status === 404 || status === 410)
    return {
      reason: 'not-found',
      message: `${answers} with the status ${status}. ${whereItBelongs(start)}`,
      details: { status },
    }
  if (status < 200 || status > 299)
    return {
      reason: 'bad-status',
      message: `${answers} with the status ${status}. It must be served to everyone who may open the page.`,
      retryable: status === 408 || status === 429 || status >= 500,
      details: { status },
    }
  if (!isJavaScript(contentType))
    return {
      reason: 'wrong-type',
      message: `${answers} with the type ${contentType || '(none)'}, not with JavaScript. ${
        /html/i.test(contentType)
          ? `So do many servers for a file that isn't there. ${whereItBelongs(start)}`
          : 'Serve it with Content-Type: text/javascript.'
      }`,
      details: { contentType },
    }
  if (!look.hasEmbedderPolicy && (await hasPageEmbedderPolicy(start.signal)))
    return {
      reason: 'coep',
      message: `The page has a Cross-Origin-Embedder-Policy, and ${file} comes without one. Serve it with the page's own: Cross-Origin-Embedder-Policy: require-corp (or credentialless).`,
    }
  const part = missingPart(text)
  if (part)
    return {
      reason: 'import',
      message: `${file} imports ${shown(new URL(part.name))}, which the server answers with the status ${part.responseStatus}.`,
      details: { import: shown(new URL(part.name)), status: part.responseStatus },
    }
  // If a policy has just refused a blob: worker, another attempt would only be reported again.
  const mayProbe = !start.violations.some(
    ({ blockedURI, effectiveDirective }) =>
      effectiveDirective === 'worker-src' && blockedURI.startsWith('blob'),
  )
  const found = mayProbe ? await findSyntaxError(text, start.signal) : undefined
  if (found === 'has-imports')
    return {
      reason: 'import',
      message: `${file} is served as JavaScript, but it or a module that it imports can't be loaded or parsed. See the browser's console.`,
    }
  if (found)
    return {
      reason: 'syntax',
      message: `${file} can't be parsed (line ${found.line}): ${found.message}. It is damaged, or too new for this browser.`,
      details: { ...found },
    }
  return {
    reason: 'unknown',
    message: `${file} is served as JavaScript, but the browser refused it: it is damaged, imports a missing module, or a policy forbids it. See the browser's console.`,
  }
}

/** The first module that the text imports and that failed to load. */
function missingPart(text: string): PerformanceResourceTiming | undefined {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return entries.find(
    ({ initiatorType, name, responseStatus }) =>
      initiatorType === 'script' && responseStatus >= 400 && names(text, new URL(name)),
  )
}

/** Whether a text has a quoted import specifier that ends in the URL's last segment. */
function names(text: string, { origin, pathname }: URL): boolean {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (!segment || origin !== globalThis.location.origin) return false
  const escaped = segment.replace(/\W/g, '\\$&')
  return new RegExp(`["'\`/]${escaped}(?:[?#][^"'\`]*)?["'\`]`).test(text)
}

function whereItBelongs({ kind, url }: FailedStart): string {
  if (url?.pathname.includes('/.vite/'))
    return "With Vite's dev server put offstage into optimizeDeps.exclude."
  if (kind !== 'file') return 'Check the address that you give.'
  return 'It must be beside the file that holds Offstage. Otherwise pass workerUrl, or a worker function.'
}
