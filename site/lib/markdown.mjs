import path from 'node:path'

/** A fence, a comment, a link or picture, and a code span: whichever comes first. */
const PIECES =
  /^ *(?<fence>```+|~~~+)[^]*?^ *\k<fence> *$|(?<comment><!--[^]*?-->\n*)|(?<mark>!?)\[(?<label>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^()\s]+)\)|(?<!`)(?<tick>`+)(?!`)[^]*?[^`]\k<tick>(?!`)/gm

/**
 * A document as the site shows it: without comments, and with links that lead somewhere there. A link to a file that
 * is no page leads to the repository. If that has no address yet, the link's text remains.
 *
 * @param {string} text
 * @param {object} place
 * @param {string} place.file the document's path in the repository, with `/`
 * @param {ReadonlySet<string>} place.pages paths of all pages
 * @param {string | null} place.repository
 */
export function siteMarkdown(text, { file, pages, repository }) {
  return replaceLinks(text.replaceAll('\r\n', '\n'), ({ link, mark, label, target }) => {
    const { name, anchor } = resolveTarget(target, file)
    if (name === null || mark || pages.has(name)) return link
    if (name === 'README.md') return `[${label}](${relativeTo(file, 'index.md')})`
    return repository ? `[${label}](${repository}/blob/HEAD/${name}${anchor})` : label
  })
}

/** Links of a text that moves from one page to another. */
export function movedLinks(text, { from, to }) {
  return replaceLinks(text, ({ link, mark, label, target }) => {
    const { name, anchor } = resolveTarget(target, from)
    return name === null ? link : `${mark}[${label}](${relativeTo(to, name)}${anchor})`
  })
}

/** Paths of the pictures that a document shows. */
export function picturesOf(text, file) {
  return [...text.matchAll(PIECES)].flatMap(({ groups: { mark, target } }) => {
    const { name } = mark ? resolveTarget(target, file) : { name: null }
    return name === null ? [] : [name]
  })
}

function replaceLinks(text, replace) {
  return text.replaceAll(PIECES, (link, ...rest) => {
    const { fence, comment, mark, label, target } = rest.at(-1)
    // Highlighters know only the language.
    if (fence) return link.replace(/^( *(?:```|~~~)\w+) .*$/m, '$1')
    if (comment) return ''
    return target === undefined ? link : replace({ link, mark, label, target })
  })
}

/** `name` is null for addresses with a scheme, and for headings of the same page. */
function resolveTarget(target, file) {
  if (target.startsWith('#') || /^[a-z][\w+.-]*:/i.test(target)) return { name: null, anchor: '' }
  const [, name, anchor] = /^([^#]*)(.*)$/.exec(target)
  return { name: path.posix.join(path.posix.dirname(file), name), anchor }
}

function relativeTo(file, target) {
  return path.posix.relative(path.posix.dirname(file), target)
}
