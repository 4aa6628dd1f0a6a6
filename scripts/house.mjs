// npm run house: how many modules the sources have, how long they are, and how they lie in folders.
import { houseFigures } from './lib/house.mjs'

const { files, lines, longest, rooms, fullest, small } = houseFigures()
console.log(`${files} modules, ${lines} lines of code without imports, the longest of ${longest}`)
console.log(`${rooms} rooms, ${fullest} modules in the fullest folder`)
console.log(`${small} small modules that one module beside them imports`)
