// `npm run bench -- <name>` runs bench/<name>.mjs.
const name = process.argv[2]
if (name === undefined || !/^[\w-]+$/.test(name)) {
  console.error('usage: npm run bench -- <name>, for example action')
  process.exit(2)
}
await import(`./${name}.mjs`)
