import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Finds broken links in Markdown documents: missing files, missing headings and paths outside the folder. Ignores
 * addresses with a scheme.
 *
 * @param {string} folder the root of the documents
 * @param {readonly string[]} documents their paths below it, with `/`
 */
export function brokenLinks(folder, documents) {
  return documents.flatMap((document) => {
    const text = read(folder, document)
    return linksOf(text).flatMap(({ target, line }) => {
      const problem = problemOf(folder, document, target)
      return problem ? [`${document}:${line}: ${target}: ${problem}`] : []
    })
  })
}

/** The ids that a Markdown page gives its headings, as GitHub and npm do. */
export function anchorsOf(text) {
  const counts = new Map()
  return blankCode(text, /^(```|~~~)[^]*?^\1/gm)
    .split('\n')
    .flatMap((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.slice(1) ?? [])
    .map((heading) => {
      const plain = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
      const slug = plain.replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replaceAll(/\s/g, '-')
      const count = counts.get(slug) ?? 0
      counts.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    })
}

/** Links and images of a Markdown page, also those by reference and in HTML, with their lines. */
export function linksOf(text) {
  const prose = blankCode(text, /^(```|~~~)[^]*?^\1|(?<!`)(`+)(?!`)[^]*?[^`]\2(?!`)|<!--[^]*?-->/gm)
  const patterns = [
    /\]\(\s*<?([^\s)>]+)>?[^)]*\)/g,
    /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm,
    /<(?:a|img|source|video)\b[^>]*?\b(?:href|src)="([^"]+)"/g,
  ]
  return patterns.flatMap((pattern) =>
    [...prose.matchAll(pattern)].map((match) => ({
      target: match[1],
      line: prose.slice(0, match.index).split('\n').length,
    })),
  )
}

function problemOf(folder, document, target) {
  if (/^[a-z][\w+.-]*:/i.test(target)) return null
  const [, file, anchor] = /^([^#]*)(?:#(.*))?$/.exec(target)
  const linked = file
    ? path.posix.join(path.posix.dirname(document), decodeURIComponent(file))
    : document
  if (path.posix.isAbsolute(file) || linked.startsWith('..')) return 'leaves the folder'
  if (!existsSync(path.join(folder, linked))) return 'there is no such file'
  if (anchor === undefined) return null
  if (!linked.endsWith('.md')) return 'only pages have headings'
  return anchorsOf(read(folder, linked)).includes(anchor) ? null : 'there is no such heading'
}

function read(folder, file) {
  return readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n')
}

/** Lines stay where they are. */
function blankCode(text, pattern) {
  return text.replaceAll(pattern, (code) => code.replaceAll(/[^\n]/g, ' '))
}
