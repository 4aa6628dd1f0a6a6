import 'tom-select/dist/css/tom-select.css'
import TomSelect from 'tom-select'

document.querySelector('#app').innerHTML = `
  <label for="fruit">Fruit</label><select id="fruit"><option value=""></option><option value="apple">Apple</option><option value="banana">Banana</option><option value="cherry">Cherry</option></select>
  <label for="tags">Tags</label><select id="tags" multiple><option>red</option><option>green</option><option>blue</option></select>`
const fruit = new TomSelect('#fruit', {})
const tags = new TomSelect('#tags', { create: true, plugins: ['remove_button'] })
window.state = () => ({ fruit: fruit.getValue(), tags: [...tags.getValue()] })
