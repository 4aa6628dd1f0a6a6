import 'choices.js/public/assets/styles/choices.css'
import Choices from 'choices.js'

const log = { tags: [], size: '' }
window.state = () => ({ ...log, tags: [...log.tags] })

document.querySelector('#app').innerHTML = `
  <label for="tags">Tags</label><select id="tags" multiple><option>red</option><option>green</option><option>blue</option></select>
  <label for="size">Size</label><select id="size"><option value="">None</option><option value="s">Small</option><option value="l">Large</option></select>`
for (const select of document.querySelectorAll('select'))
  new Choices(select, { removeItemButton: true, allowHTML: false, labelId: `${select.id}-label` })
const tags = document.querySelector('#tags')
tags.addEventListener('change', () => {
  log.tags = [...tags.selectedOptions].map(({ value }) => value)
})
const size = document.querySelector('#size')
size.addEventListener('change', () => {
  log.size = size.value
})
