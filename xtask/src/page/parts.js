// Parts of the program: fetched when one of their functions is first called, and put beside what is there. A file may be
// several modules, one behind the other. What did not come is fetched again the next time.
const PARTS = {};
const fetched = new Map();

async function put(file, ends) {
    const response = await fetch(new URL(file, import.meta.url));
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    const bytes = await response.arrayBuffer();
    const modules = ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
    await Promise.all(modules.map((module) => WebAssembly.instantiate(module, { __wasm_split: wasm })));
}

function once([file, ...ends]) {
    if (!fetched.has(file)) {
        const part = put(file, ends);
        part.catch(() => fetched.delete(file));
        fetched.set(file, part);
    }
    return fetched.get(file);
}

const load = (files) => async (callback, data) => {
    const got = await Promise.all(files.map(once)).then(() => true, (error) => console.warn(error));
    wasm.__indirect_function_table.get(callback)(data, got === true);
};
