// Export Apple Notes to HTML files. Reads only.
// Usage: osascript -l JavaScript export-notes.js OUTPUT-FOLDER [FOLDER-NAME]
ObjC.import('Foundation');

function makeFolder(path) {
    $.NSFileManager.defaultManager.createDirectoryAtPathWithIntermediateDirectoriesAttributesError(
        path, true, $(), null);
}

function write(path, text) {
    return $(text).writeToFileAtomicallyEncodingError(path, true, $.NSUTF8StringEncoding, null);
}

function safe(name) {
    const clean = name.replace(/[\/\\:*?"<>|#^\[\]\u0000-\u001f]/g, ' ').replace(/\s+/g, ' ').trim();
    return (clean || 'untitled').slice(0, 80).replace(/^\.+/, '');
}

function run(argv) {
    if (argv.length < 1) return 'usage: export-notes.js OUTPUT-FOLDER [FOLDER-NAME]';
    const out = argv[0];
    const only = argv[1];
    const app = Application('Notes');
    const seen = new Set();
    const skipped = [];
    let number = 0;
    let done = 0;

    function visit(accountName, folder) {
        if (seen.has(folder.id())) return;
        seen.add(folder.id());
        folder.folders().forEach(inner => visit(accountName, inner));

        const folderName = folder.name();
        if (only ? folderName !== only : folderName === 'Recently Deleted') return;
        const dir = [out, safe(accountName), safe(folderName)].join('/');
        makeFolder(dir);
        for (const note of folder.notes()) {
            number += 1;
            let title = '(unreadable)';
            try {
                title = note.name();
                if (note.passwordProtected()) {
                    skipped.push(title + ' (locked)');
                    continue;
                }
                const head = '<!-- created ' + note.creationDate().toISOString() +
                    ', changed ' + note.modificationDate().toISOString() + ' -->\n';
                const file = dir + '/' + safe(title) + '-' + number + '.html';
                if (write(file, head + note.body())) done += 1;
                else skipped.push(title + ' (could not write)');
            } catch (error) {
                skipped.push(title + ' (' + error.message + ')');
            }
        }
    }

    for (const account of app.accounts()) {
        account.folders().forEach(folder => visit(account.name(), folder));
    }
    return ['exported: ' + done, 'skipped: ' + skipped.length].concat(skipped).join('\n');
}
