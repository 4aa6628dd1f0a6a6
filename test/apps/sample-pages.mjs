/** Pages of sizes and kinds that readers of pages differ on: HTML by name. */

const WORDS =
  'the harbour keeps its own time and nobody there has asked why since boats come in with the tide while a clerk writes their names into a long book that smells of salt rope tar paper'.split(
    ' ',
  )

/** @type {(count: number, make: (index: number) => string) => string} */
const repeat = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('')

/** Prose that is the same each time, without being the same sentence over and over. */
function sentence(/** @type {number} */ seed) {
  const words = Array.from(
    { length: 9 + (seed % 8) },
    (_, at) => WORDS[(seed * 7 + at * at * 3 + at) % WORDS.length] ?? '',
  )
  const text = words.join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const paragraph = (/** @type {number} */ seed) =>
  `<p>${repeat(5, (at) => `${sentence(seed * 5 + at)} `)}<a href="#note-${seed}">See note ${seed}</a>.</p>`

function article() {
  const section = (/** @type {number} */ n) =>
    `<section><h2>Part ${n + 1}</h2>${repeat(6, (at) => paragraph(n * 6 + at))}<figure><img alt="Boats at low tide, plate ${n + 1}" src="data:," width="300" height="120"><figcaption>Plate ${n + 1}</figcaption></figure></section>`
  return `<header><nav aria-label="Site"><a href="#home">Home</a> <a href="#essays">Essays</a> <a href="#about">About</a></nav>
    <form role="search"><input type="search" aria-label="Search"><button>Search</button></form></header>
    <main><article><h1>The harbour clerk</h1><p>By <a href="#author">Ines Aldana</a>, 4 March</p>${repeat(12, section)}</article></main>
    <footer><button>Share</button> <a href="#imprint">Imprint</a></footer>`
}

function table(/** @type {number} */ rows) {
  const row = (/** @type {number} */ n) =>
    `<tr><td>Person ${n}</td><td>${18 + (n % 60)}</td><td>person.${n}@mail.example</td><td><button>Delete</button></td></tr>`
  return `<h1>People</h1><input aria-label="Filter"><table><thead><tr><th>Name</th><th>Age</th><th>Mail</th><th>Actions</th></tr></thead><tbody>${repeat(rows, row)}</tbody></table>`
}

/** Siblings of many kinds below one parent. */
function flat(/** @type {number} */ elements) {
  const kinds = [
    (/** @type {number} */ n) => `<button>Action ${n}</button>`,
    (/** @type {number} */ n) => `<a href="#${n}">Link to ${sentence(n)}</a>`,
    (/** @type {number} */ n) => `<p>${sentence(n)}</p>`,
    (/** @type {number} */ n) => `<input aria-label="Field ${n}" value="${n}">`,
    (/** @type {number} */ n) => `<h3>Heading ${n}</h3>`,
  ]
  return repeat(elements, (n) => kinds[n % kinds.length]?.(n) ?? '')
}

/**
 * Groups in groups, with the wrappers that component libraries make: three in each, some five elements
 * for each of the innermost.
 */
function nested(/** @type {number} */ depth, place = '') {
  if (depth === 0)
    return `<div><span>Value${place}</span><button><span>Edit${place}</span></button><a href="#v">Open</a></div>`
  const inside = [1, 2, 3].map((n) => nested(depth - 1, `${place} ${n}`)).join('')
  return `<section aria-label="Group${place}"><div><div><div>${inside}</div></div></div></section>`
}

/** @type {Readonly<Record<string, string>>} */
export const samplePages = {
  article: article(),
  'table-5000': table(5000),
  'flat-5000': flat(5000),
  'nested-5000': nested(6),
}
