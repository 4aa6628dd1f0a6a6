/** Entries of the package that export something, with the path of their page: those that don't name a file. */
export function apiEntries({ name, exports }) {
  return Object.entries(exports)
    .filter(([entry, target]) => target.types && !/\.\w+$/.test(entry))
    .map(([entry, { types }]) => {
      const title = entry.replace('.', name)
      return { title, file: `api/${title.replaceAll('/', '-')}.md`, types }
    })
}
